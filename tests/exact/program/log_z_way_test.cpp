// Which way to log Z is taken unasked, and what is said of the time that it takes.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include <doctest/doctest.h>

#include <harmonium/estimators/log_partition/variable_elimination.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/about_so_long.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/energy_moments.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/program/work/log_z_way.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace log_z_way_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(1);

/// Ends the work at its first remark, which it keeps.
class FirstRemark final : public Display {
 public:
  struct Said {};
  std::string line;

  void note(const std::string&) override {}
  void warn(const std::string& text) override {
    line = text;
    throw Said{};
  }
  void progress(double, const std::string&) override {}
  void finish() override {}
};

std::unique_ptr<EnergyModel> torus(int side) {
  Value effective;
  const std::string text = "type = 'layered'\nlayers = [{ name = 's', size = " + std::to_string(side * side) +
                           ", units = 'spin' }]\nterms = [{ type = 'lattice', layer = 's', shape = [" +
                           std::to_string(side) + ", " + std::to_string(side) + "] }]\n";
  auto model = builtin_registries().make<EnergyModel>(parse_toml(text, "test"), effective);
  // A coupling of 0 joins nothing, and is not summed over.
  model->update_parameters([](std::span<Real> theta) { std::ranges::fill(theta, Real(0.5)); });
  return model;
}

struct Taken {
  bool exact = false;
  std::string remark;
};

/// What is said before log Z is found.
std::string remark_of(const LogZWay& way, const EnergyModel& model, double beta) {
  FirstRemark display;
  std::string why_not;
  try {
    way.estimate(model, beta, {executor, {1, 0}, &display}, why_not);
  } catch (const FirstRemark::Said&) {
  }
  return display.line;
}

Taken taken(const EnergyModel& model, const EvaluateRequest& request) {
  const Value options = make_table({});
  const LogZWay way(request, options, model, builtin_registries());
  const std::string remark = remark_of(way, model, request.beta);
  return {!remark.starts_with("log Z is annealed"), remark};
}

/// Why there is no mean energy, where that is known before.
std::string why_no_energy(const EnergyModel& model, const EvaluateRequest& request) {
  const Value options = make_table({});
  const LogZWay way(request, options, model, builtin_registries());
  std::string why_not;
  CHECK_FALSE(way.energy(model, request.beta, {executor, {1, 0}}, why_not));
  return why_not;
}

EvaluateRequest of_betas(std::uint64_t count) {
  EvaluateRequest request;
  request.beta = 0.25;
  request.num_betas = count;
  return request;
}

/// As many minutes, or seconds below two of them, as stand before the words.
double seconds_before(const std::string& text, const std::string& words) {
  const std::size_t end = text.find(words);
  REQUIRE(end != std::string::npos);
  const std::size_t begin = text.rfind("some ", end) == std::string::npos ? 0 : text.rfind("some ", end) + 5;
  const bool minutes = text.substr(begin, end - begin).find("minutes") != std::string::npos;
  return std::stod(text.substr(begin)) * (minutes ? 60.0 : 1.0);
}

}  // namespace

TEST_CASE(
    "an exact sum that takes all temperatures more than two minutes is not begun unasked, and how it is had is said") {
  const auto model = torus(11);
  const double each = VariableElimination().operations(*model) / 1e9;
  REQUIRE(each > 10.0);  // so that one is told of
  REQUIRE(each < 60.0);
  const auto most = static_cast<std::uint64_t>(std::floor(120.0 / each));
  const double of_energy = energy_moments_work(*model, EliminationLimits::none()).of_tables / 1e9;
  CHECK(energy_moments_work(*model).of_tables == 0.0);  // more than some seconds
  CHECK(of_energy == doctest::Approx(1.5 * each));
  // The least energy comes with log Z: the mean takes as long as that.
  EliminationLimits mean_alone = EliminationLimits::none();
  mean_alone.ground_state = false;
  CHECK(energy_moments_work(*model, mean_alone).of_tables / 1e9 == doctest::Approx(each));
  const Taken one = taken(*model, of_betas(1)), within = taken(*model, of_betas(most)),
              beyond = taken(*model, of_betas(most + 1));
  CHECK(one.exact);
  const bool long_work = 2.0 * each > 60.0;  // annealing may take as long as a shorter one
  CHECK(one.remark.find(long_work ? " of one core. --log-z ais is quicker, and has an interval."
                                  : " of one core. --log-z ais estimates it, with an interval.") != std::string::npos);
  CHECK(within.exact);
  CHECK(within.remark.find(" of one core at each of " + std::to_string(most) + " betas, ") != std::string::npos);
  CHECK(within.remark.starts_with("log Z and <E> are found exactly, "));
  CHECK(within.remark.find("some " + about_so_long(2.0 * each) + " of one core") != std::string::npos);
  CHECK(one.remark.ends_with(" --no-moments leaves out <E>, heat capacity and entropy, " + about_so_long(each) +
                             " of it."));
  EvaluateRequest alone = of_betas(1);
  alone.log_z_alone = true;
  CHECK(taken(*model, alone)
            .remark.starts_with("log Z is found exactly, which takes some " + about_so_long(each) + " of one core. "));
  CHECK(taken(*model, alone).remark.find("--no-moments") == std::string::npos);
  CHECK_FALSE(beyond.exact);
  CHECK(
      beyond.remark.starts_with("log Z is annealed and has an interval, which more --effort narrows. --log-z "
                                "variable_elimination has it exactly in "
                                "some "));
  CHECK(beyond.remark.ends_with(" in all."));

  // Asked for, by name or by the effort that it may take, it is begun.
  EvaluateRequest named = of_betas(most + 1), patient = named, hurried = of_betas(1);
  named.log_z = "variable_elimination";
  patient.effort = 2.0;
  hurried.effort = 0.01;
  CHECK(taken(*model, named).exact);
  CHECK(taken(*model, patient).exact);
  CHECK_FALSE(taken(*model, hurried).exact);
  // Lines that stand are not lost.
  named.beta_done = [](double, const Evaluation&) {};
  CHECK(taken(*model, named).remark.find("; what stands by then is not lost to Ctrl-C. ") != std::string::npos);
}

TEST_CASE("where no exact way serves it is said why log Z is annealed, and not where it is asked for") {
  const auto wide = random_rbm(60, 50, 3);
  const Taken unasked = taken(*wide, of_betas(1));
  CHECK_FALSE(unasked.exact);
  CHECK(unasked.remark == "log Z is annealed and has an interval: state by state it would be a sum over 2^50.");
  EvaluateRequest named = of_betas(1);
  named.effort = 0.01;
  EvaluateRequest left_out = named;
  named.log_z = "ais";
  CHECK(taken(*wide, named).remark.empty());
  left_out.left_out_by = "--no-likelihood";
  CHECK(taken(*wide, left_out).remark.empty());
}

TEST_CASE("the mean energy is summed by tables where all temperatures take four minutes or less, or as effort has it") {
  const auto model = torus(11);
  EliminationLimits limits = EliminationLimits::none();
  limits.ground_state = false;  // it comes with log Z
  const double of_energy = energy_moments_work(*model, limits).of_tables / 1e9;
  REQUIRE(of_energy < 120.0);  // so that it is told in seconds
  const auto beyond = static_cast<std::uint64_t>(std::floor(240.0 / of_energy)) + 1;
  EvaluateRequest named = of_betas(beyond), patient = named;
  named.log_z = patient.log_z = "variable_elimination";
  const std::string why = why_no_energy(*model, named);
  CHECK(why.starts_with("its sum takes some "));
  CHECK(why.find("some " + about_so_long(of_energy) + " of one core at each of " + std::to_string(beyond) +
                 " betas, ") != std::string::npos);
  CHECK(why.find(" in all, and is begun unasked where all take 4 minutes or less. Add --effort 1.") !=
        std::string::npos);
  CHECK(why.ends_with("; 'harmonium observe' measures it."));
  // That effort is enough, and is no mistake where log Z takes none.
  patient.effort = std::stod(why.substr(why.find("--effort ") + 9));
  CHECK(taken(*model, patient).remark.starts_with("log Z and <E> are found exactly, "));
  CHECK(taken(*model, named).remark.starts_with("log Z is found exactly, "));
}

TEST_CASE(
    "the time that is told is that of the mean energy too, which is a sum over all states of units that all couple") {
  Value effective;
  auto glass = builtin_registries().make<EnergyModel>(
      parse_toml("type = 'fully_visible'\nnum_visible = 24\nvisible_units = 'spin'\n", "test"), effective);
  glass->update_parameters([&](std::span<Real> theta) {
    for (const ParameterBlock& b : glass->parameter_layout().blocks())
      if (is_coupling(b))
        for (Index i = 0; i < b.rows; ++i)
          for (Index j = 0; j < b.cols; ++j) theta[b.offset + i * b.cols + j] = Real(i == j ? 0.0 : 0.125);
  });
  const double of_log_z = VariableElimination().operations(*glass) / 1e9,
               of_energy = energy_moments_work(*glass).of_states / 4e9;
  REQUIRE(of_energy > 2.0 * of_log_z);  // the control: what was told before
  const EvaluateRequest request = of_betas(4);
  const Value options = make_table({});
  const std::string remark = remark_of({request, options, *glass, builtin_registries()}, *glass, request.beta);
  CHECK(remark.starts_with("log Z and <E> are found exactly, which takes some "));
  CHECK(seconds_before(remark, " of one core at each of 4 betas") > 0.9 * of_energy);
}

TEST_CASE("an exact sum of an instant is taken without a word, at however many temperatures, and needs no effort") {
  const auto model = torus(4);
  const Taken found = taken(*model, of_betas(40));
  CHECK(found.exact);
  CHECK(found.remark == "");
  EvaluateRequest request = of_betas(40);
  request.effort = 2.0;
  CHECK(message_of<ConfigError>([&] { taken(*model, request); }) ==
        "--effort is for annealing and ladders, and log Z is found otherwise. Leave it out, or add --log-z ais.");
}

}  // namespace log_z_way_test
