// log Z of a model that changes from call to call, as in training.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <boost/math/distributions/binomial.hpp>
#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/tests/support/in_single.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

#include "machines.hpp"

namespace online_log_partition_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
constexpr int calls = 6;

std::unique_ptr<LogPartition> online(const std::string& more = "") {
  return make<LogPartition>("type = 'online'\n" + more);
}

/// A model on its way: after `call` of all calls, that part of its parameters.
class Growing {
 public:
  explicit Growing(const EnergyModel& model)
      : model_(model.copy()), whole_(model.parameters().begin(), model.parameters().end()) {}
  const EnergyModel& at(int call) const {
    const double part = static_cast<double>(call) / calls;
    model_->update_parameters([&](std::span<Real> theta) {
      for (Index k = 0; k < theta.size(); ++k) theta[k] = static_cast<Real>(part * static_cast<double>(whole_[k]));
    });
    return *model_;
  }

 private:
  std::unique_ptr<EnergyModel> model_;
  std::vector<Real> whole_;
};

}  // namespace

TEST_CASE("the interval goes with the model, and contains log Z as often as it says" * doctest::test_suite("slow") *
          doctest::skip(in_single)) {
  // 6 machines, 5 seeds, the last of 6 calls. So few inside would be met once in a million times where each holds with
  // probability 0.95: 36 of 48. The control is log Z of the call before: ladders that had not followed.
  constexpr int seeds = 5;
  int inside = 0, inside_before = 0, agreed = 0, all = 0;
  std::vector<double> widths;
  for (const Example& m : machines()) {
    CAPTURE(m.name);
    const Growing growing(*m.model);
    const double before = exact_log_z(growing.at(calls - 1)), log_z = exact_log_z(growing.at(calls));
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const auto way = online("num_steps = 150");
      for (int call = 1; call < calls; ++call) way->follow(growing.at(call), 1.0, {executor, {seed, 3}});
      const LogPartitionEstimate found = way->follow(growing.at(calls), 1.0, {executor, {seed, 3}});
      ++all;
      agreed += found.agree ? 1 : 0;
      inside += found.low <= log_z && log_z <= found.high ? 1 : 0;
      inside_before += found.low <= before && before <= found.high ? 1 : 0;
      widths.push_back(found.high - found.low);
    }
  }
  const boost::math::binomial_distribution<> covered(all, 0.95);
  std::ranges::sort(widths);
  INFO("inside: ", inside, " of ", all, ", of the call before: ", inside_before, ", agreed: ", agreed,
       ", median width ", widths[widths.size() / 2]);
  CHECK(inside >= quantile(covered, 1e-6));
  CHECK(inside_before < quantile(covered, 1e-6));
  CHECK(agreed >= all * 3 / 4);
  CHECK(widths[widths.size() / 2] < 0.3);
}

TEST_CASE("of a model alone it is asked until it is agreed on") {
  const auto model = random_rbm(8, 5, 3);
  for (const double beta : {0.0, 0.5, 1.0, 1.5}) {
    CAPTURE(beta);
    const LogPartitionEstimate found = online()->estimate(*model, beta, {executor, {2, 3}});
    CHECK(found.agree);
    // Twice the interval: a seed in a thousand would miss it, these do not.
    CHECK(std::abs(found.log_z - exact_log_z(*model, beta)) <= found.high - found.low + 1e-9);
    CHECK(found.high - found.low < 0.3);
  }
}

TEST_CASE("of a model alone the call that is told is not the one that ended the calls, but the first") {
  const auto model = random_rbm(12, 6, 41, 2.0);
  int after_others = 0;
  // From calls too short ever to be agreed on to those that are at once.
  for (const int num_steps : {30, 60, 120, 240, 480})
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      CAPTURE(num_steps);
      CAPTURE(seed);
      const std::string options = "num_steps = " + std::to_string(num_steps) + "\nnum_ladders = 4";
      const Execution execution{executor, {seed, 3}};
      const auto way = online(options);
      LogPartitionEstimate expected = way->follow(*model, 1.0, execution);
      if (!expected.agree) {
        for (int call = 1; call < 10 && !expected.agree; ++call) expected = way->follow(*model, 1.0, execution);
        if (expected.agree) {
          ++after_others;
          expected = way->follow(*model, 1.0, execution);
        }
      }
      const LogPartitionEstimate found = online(options)->estimate(*model, 1.0, execution);
      CHECK(found.log_z == expected.log_z);
      CHECK(found.agree == expected.agree);
    }
  CHECK(after_others > 0);
}

TEST_CASE("what it keeps between calls goes on from a checkpoint to the bit, and is refused where it is damaged") {
  const auto model = random_rbm(8, 5, 3);
  const Growing growing(*model);
  const std::string options = "num_ladders = 5\nnum_steps = 60\n";
  const auto whole = online(options), first = online(options), rest = online(options);
  const StateSizes sizes{.columns = {8, 5}};
  const auto follow = [&](LogPartition& way, int call) {
    return way.follow(growing.at(call), 1.0, {executor, {7, 3}});
  };
  for (int call = 1; call <= 4; ++call) {
    follow(*whole, call);
    follow(*first, call);
  }
  StateArchive saved;
  first->state(saved);
  StateArchive loaded(saved.fields(), sizes);
  rest->state(loaded);
  for (int call = 5; call <= calls; ++call) {
    const LogPartitionEstimate a = follow(*whole, call), b = follow(*rest, call);
    CHECK(a.log_z == b.log_z);
    CHECK(a.low == b.low);
    CHECK(a.method == b.method);
  }
  // Before the first call there is nothing to keep.
  StateArchive nothing;
  online(options)->state(nothing);
  StateArchive none(nothing.fields(), sizes);
  const auto fresh = online(options);
  fresh->state(none);
  CHECK(follow(*fresh, 1).log_z == follow(*online(options), 1).log_z);

  const auto refusal = [&](const char* name, const auto& damage, const std::string& of = "") {
    StateArchive::Fields fields = saved.fields();
    damage(fields.at(name));
    StateArchive damaged(std::move(fields), sizes);
    return message_of<DataError>([&] { online(of.empty() ? options : of)->state(damaged); });
  };
  using Words = std::vector<std::uint64_t>;
  CHECK(refusal("rung", [](auto& f) {
          std::get<Words>(f)[0] = std::get<Words>(f)[1];
        }).ends_with("'rung' are not the rungs of whole ladders"));
  CHECK(refusal("betas", [](auto& f) { std::get<std::vector<double>>(f)[0] = -1.0; }).find("is no ladder") !=
        std::string::npos);
  CHECK(refusal("betas", [](auto& f) { std::get<std::vector<double>>(f).back() = 0.1; }).find("down to 0") !=
        std::string::npos);
  CHECK(refusal("last_ends", [](auto& f) { std::get<std::vector<std::uint8_t>>(f)[0] = 7; }).find("an end that") !=
        std::string::npos);
  CHECK(refusal("layer0", [](auto& f) { std::visit([](auto& v) { v.pop_back(); }, f); }) != "");
  CHECK(refusal(
            "rung", [](auto&) {}, "num_ladders = 6\nnum_steps = 60\n")
            .find("is not of 6 ladders") != std::string::npos);
}

TEST_CASE("ladders along training that made no round trips are told") {
  const auto model = random_rbm(60, 14, 41, 3.0);
  const auto way = online("num_steps = 30");
  const LogPartitionEstimate found = way->follow(*model, 1.0, {executor, {1, 3}});
  CHECK_FALSE(found.agree);
  CHECK(found.why.find("too few round trips") != std::string::npos);
  CHECK(message_of<ConfigError>([] { online("sampler = 'parallel_tempering'"); }).ends_with("Take 'gibbs'."));
}

}  // namespace online_log_partition_test
