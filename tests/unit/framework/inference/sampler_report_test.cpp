#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/sampler.hpp>

namespace sampler_report_test {

using namespace harmonium;

namespace {

double binomial(int n, int k, double p) {
  return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) + k * std::log(p) +
                  (n - k) * std::log1p(-p));
}

SamplerReport report_of(double acceptance, std::uint64_t proposed, double min) {
  SamplerReport report;
  report.acceptance = acceptance;
  report.proposed = proposed;
  report.min_acceptance = min;
  return report;
}

}  // namespace

TEST_CASE("the bound of a binomial tail is above it, and exact where all or none succeed") {
  for (const double p : {1e-4, 0.05, 0.3}) {
    for (const int n : {1, 7, 40, 200}) {
      for (int k = 0; k <= n; ++k) {
        const double share = static_cast<double>(k) / n;
        double tail = 0.0;
        for (int i = share > p ? k : 0; i <= (share > p ? n : k); ++i) tail += binomial(n, i, p);
        const double bound = log_binomial_tail(share, n, std::log(p));
        CHECK(bound >= std::log(tail) - 1e-9);
        if (k == n) CHECK(bound == doctest::Approx(n * std::log(p)).epsilon(1e-9));
        if (k == 0) CHECK(bound == doctest::Approx(n * std::log1p(-p)).epsilon(1e-9));
      }
    }
  }
  // A probability far below the smallest number: that all of 100 chains stay for 100,000 transitions.
  CHECK(log_binomial_tail(1.0, 100.0, -5000.0) == doctest::Approx(-5e5));
}

TEST_CASE("proposals are ill chosen where too few are accepted to be an accident") {
  CHECK(report_of(0.0, 405, 0.05).ill_chosen());        // 0.95^405 = 9.5e-10
  CHECK_FALSE(report_of(0.0, 403, 0.05).ill_chosen());  // 1.05e-9
  CHECK_FALSE(report_of(0.05, 1'000'000'000, 0.05).ill_chosen());
  CHECK(report_of(0.049, 1'000'000'000, 0.05).ill_chosen());
  CHECK_FALSE(report_of(0.0, 1'000'000, 0.0).ill_chosen());  // of discrete units
  CHECK_FALSE(report_of(1.0, 0, 0.05).ill_chosen());         // nothing was proposed
}

TEST_CASE("reports that follow each other have the acceptance of all their moves") {
  SamplerReport sum;
  sum.add(report_of(0.25, 100, 0.05));
  CHECK(sum.acceptance == 0.25);
  sum.add(report_of(0.5, 300, 0.05));
  CHECK(sum.acceptance == 0.4375);
  CHECK(sum.proposed == 400);
  CHECK(sum.min_acceptance == 0.05);
  CHECK(sum.summary() == "acceptance 0.44");
  SamplerReport exchanges;
  exchanges.ladder = LadderReport{{1.0, 0.5}, {10}, {4}, 1};
  sum.add(exchanges);
  sum.add(exchanges);
  CHECK(sum.proposed == 400);
  REQUIRE(sum.ladder);
  CHECK(sum.ladder->proposed[0] == 20);
  CHECK(sum.ladder->round_trips == 2);
}

}  // namespace sampler_report_test
