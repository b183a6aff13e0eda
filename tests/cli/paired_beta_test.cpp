// evaluate MODEL --against OTHER with --against-beta: two models at temperatures of their own.
#include <array>
#include <cmath>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files.hpp"
#include "judged.hpp"

namespace paired_beta_test {

using namespace harmonium::testing;
using nlohmann::json;

namespace {

constexpr unsigned sites = 5, states = 1u << sites;
constexpr std::array biases{0.2, -0.1, 0.4, 0.0, 0.3};

/// A ring of spins with fields, of couplings that grow around it.
struct Ring {
  double first, step;

  double coupling(unsigned i) const { return first + step * i; }
  double energy(unsigned state) const {
    const auto spin = [state](unsigned i) { return state >> i % sites & 1u ? 1.0 : -1.0; };
    double sum = 0.0;
    for (unsigned i = 0; i < sites; ++i) sum -= coupling(i) * spin(i) * spin(i + 1) + biases[i] * spin(i);
    return sum;
  }
  double log_z(double beta) const {
    double sum = 0.0;
    for (unsigned s = 0; s < states; ++s) sum += std::exp(-beta * energy(s));
    return std::log(sum);
  }
  void write(const ScratchFolder& folder, const std::string& name, const char* precision) const {
    std::string edges = fmt::format("{0} {0}\n", sites), fields;
    for (unsigned i = 0; i < sites; ++i) {
      edges += fmt::format("{} {} {}\n", i + 1, (i + 1) % sites + 1, coupling(i));
      fields += fmt::format("{}\n", biases[i]);
    }
    folder.write(name + ".txt", edges);
    folder.write("fields.txt", fields);
    REQUIRE(run(folder, {"import", name + ".txt", "--fields", "fields.txt", "--output", name + ".h5", "--precision",
                         precision, "--quiet"})
                .status == 0);
  }
};

constexpr Ring one{0.3, 0.1}, other{0.5, -0.15};

void write_both(const ScratchFolder& folder) {
  one.write(folder, "one", "float64");
  other.write(folder, "other", "float32");
}

constexpr std::array rows{3u, 17u, 30u, 8u};

void write_rows(const ScratchFolder& folder) {
  std::string text;
  for (const unsigned s : rows)
    for (unsigned i = 0; i < sites; ++i) text += fmt::format("{}{}", s >> i & 1u ? 1 : -1, i + 1 < sites ? ',' : '\n');
  folder.write("rows.csv", text);
}

/// The mean log likelihood of the rows.
double log_likelihood(const Ring& ring, double beta) {
  double sum = 0.0;
  for (const unsigned s : rows) sum -= beta * ring.energy(s) / static_cast<double>(rows.size());
  return sum - ring.log_z(beta);
}

}  // namespace

TEST_CASE("two models at betas of their own differ by sums over all states") {
  const ScratchFolder folder;
  write_both(folder);
  write_rows(folder);
  constexpr double beta = 0.8, against = 0.4;
  const Words command{"one.h5", "--against", "other.h5", "--beta", "0.8", "--against-temperature", "2.5"};
  const json all = evaluated(folder, command);
  CHECK(all["beta"] == beta);
  CHECK(all["against_beta"].get<double>() == doctest::Approx(against));
  const json& z = all["log_z"];
  CHECK(z["model"].get<double>() == doctest::Approx(one.log_z(beta)).epsilon(1e-6));
  CHECK(z["against"].get<double>() == doctest::Approx(other.log_z(against)).epsilon(1e-6));
  CHECK(z["difference"].get<double>() == doctest::Approx(one.log_z(beta) - other.log_z(against)).epsilon(1e-5));

  Words of_rows = command;
  of_rows.insert(of_rows.end(), {"--data", "rows.csv"});
  const json judged_rows = evaluated(folder, of_rows);
  CHECK(judged_rows["against_beta"] == all["against_beta"]);
  const json& figures = judged_rows["parts"][0]["figures"];
  const double a = log_likelihood(one, beta), b = log_likelihood(other, against);
  CHECK(figures["log_likelihood"]["model"].get<double>() == doctest::Approx(a).epsilon(1e-6));
  CHECK(figures["log_likelihood"]["against"].get<double>() == doctest::Approx(b).epsilon(1e-6));
  CHECK(figures["log_likelihood"]["difference"].get<double>() == doctest::Approx(a - b).epsilon(1e-4));
  // The control: at one beta for both it is another number.
  REQUIRE(std::abs(log_likelihood(other, beta) - b) > 0.05);
  // Each is what it is alone, the pseudo likelihood too.
  const json alone = evaluated(folder, {"other.h5", "--temperature", "2.5", "--data", "rows.csv"});
  CHECK(figures["pseudo_log_likelihood"]["against"].get<double>() ==
        doctest::Approx(alone["pseudo_log_likelihood"].get<double>()).epsilon(1e-6));
}

TEST_CASE("of annealed models at betas of their own the ratio of draws is within its interval of the sums") {
  const ScratchFolder folder;
  write_both(folder);
  const auto compared = [&](const Words& words) {
    Words command = words;
    command.insert(command.end(), {"--log-z", "ais", "--seed", "1"});
    return evaluated(folder, command)["log_z"];
  };
  const auto width = [](const json& z) { return z["interval"][1].get<double>() - z["interval"][0].get<double>(); };
  // Half of the interval is 1.97 errors: five times that is never missed.
  const auto check_ratio = [&](const json& z, double exact) {
    CHECK(like(z["method"].get<std::string>(), "The difference is the acceptance ratio of draws of both models, *"));
    CHECK(std::abs(z["difference"].get<double>() - exact) < 2.5 * width(z) + 1e-6);
  };
  check_ratio(compared({"one.h5", "--against", "other.h5", "--beta", "0.8", "--against-beta", "0.4"}),
              one.log_z(0.8) - other.log_z(0.4));
  const double exact = one.log_z(0.6) - one.log_z(0.5);
  const json same = compared({"one.h5", "--against", "one.h5", "--beta", "0.6", "--against-beta", "0.5"});
  check_ratio(same, exact);
  // That is less than the difference, which one beta for both would have at 0.
  CHECK(2.5 * width(same) < exact);
}

TEST_CASE("a table says at which beta each model is, and --against-beta is refused where it has no model") {
  const ScratchFolder folder;
  write_both(folder);
  write_rows(folder);
  const auto text = [&](Words words) {
    words.insert(words.begin(), {"evaluate", "one.h5", "--against", "other.h5"});
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome.out;
  };
  CHECK(like(text({}), "both at beta = 1\n\n * one.h5 * other.h5 * difference\nlog_z *"));
  CHECK(like(text({"--temperature", "2.5"}), "both at beta = 0.4 (T = 2.5)\n\n*"));
  CHECK(like(text({"--data", "rows.csv", "--beta", "2"}), "both at beta = 2 (T = 0.5)\n\n*4 rows\nlog_likelihood *"));
  CHECK(like(text({"--data", "rows.csv", "--against-temperature", "2.5"}),
             "one.h5 at beta = 1, other.h5 at beta = 0.4 (T = 2.5)\n\n*4 rows\nlog_likelihood *"));
  CHECK(like(text({"--against-beta", "0"}), "one.h5 at beta = 1, other.h5 at beta = 0\n\n*"));
  // Along temperatures each line has its own, that of both.
  CHECK(!like(text({"--betas", "1,2"}), "*both at*"));
  check_refusal(run(folder, {"evaluate", "one.h5", "--against-beta", "0.4"}), 2,
                "--against-beta: it is the temperature of the model that --against names. Give --against OTHER too, or "
                "leave --against-beta out.*");
  check_refusal(
      run(folder, {"evaluate", "one.h5", "--against", "other.h5", "--betas", "1,2", "--against-temperature", "2"}), 2,
      "--against-temperature: --betas names the inverse temperatures already, those of both models. Leave one "
      "of the two out.*");
  check_refusal(run(folder, {"evaluate", "one.h5", "--against", "other.h5", "--against-beta", "0.5",
                             "--against-temperature", "2"}),
                2, "--against-temperature: --against-beta names the inverse temperature already. Leave one of *");
}

}  // namespace paired_beta_test
