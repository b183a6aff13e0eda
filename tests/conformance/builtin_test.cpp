// Every built-in component under the checks that `harmonium check` runs for anybody. False alarms: chi_square.hpp.

#include <doctest/doctest.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/log_partition_suite.hpp>
#include <harmonium/framework/testing/model_suite.hpp>
#include <harmonium/framework/testing/sampler_suite.hpp>
#include <harmonium/framework/testing/term_suite.hpp>
#include <harmonium/framework/testing/training_suite.hpp>
#include <harmonium/framework/testing/unit_suite.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>

namespace builtin_test {

using namespace harmonium;
using namespace harmonium::conformance;

namespace {

const Registries& builtin() {
  static const Registries registries = [] {
    Registries all;
    enroll_builtin(all);
    return all;
  }();
  return registries;
}

template <class I>
std::unique_ptr<I> make(const std::string& toml) {
  Value effective;
  return builtin().make<I>(parse_toml(toml, "test"), effective);
}

/// By its defaults, with chains enough for checks.
std::unique_ptr<GradientEstimator> estimator_named(const std::string& name) {
  return make<GradientEstimator>("type = '" + name + "'" +
                                 (name == "contrastive" ? "\nnegative = {type = 'chains', num_chains = 40}" : ""));
}

/// Nothing failed, and `min` checks were made.
void check_report(const CheckReport& report, std::size_t min) {
  std::size_t made = 0;
  for (const CheckResult& r : report.results()) {
    CHECK_MESSAGE(r.outcome != CheckOutcome::failed, r.check, ": ", r.words);
    made += r.outcome == CheckOutcome::passed || r.outcome == CheckOutcome::noted ? 1 : 0;
  }
  CHECK(made >= min);
}

constexpr bool single_precision = sizeof(Real) == sizeof(float);

/// A ring of four Gaussian units.
const char* const free_field = R"(type = 'layered'
[[layers]]
name = 'v'
size = 4
units = 'gaussian'
[[terms]]
type = 'lattice'
layer = 'v'
shape = [4]
)";

}  // namespace

TEST_CASE("every model keeps what models promise, of all kinds of units") {
  const std::string shapes[] = {
      "type = 'rbm'\nnum_visible = 4\nnum_hidden = 3\n",
      "type = 'rbm'\nnum_visible = 3\nnum_hidden = 2\nnum_labels = 3\n",
      "type = 'boltzmann_machine'\nnum_visible = 4\nnum_hidden = 3\n",
      "type = 'semi_restricted'\nnum_visible = 4\nnum_hidden = 3\n",
      "type = 'fully_visible'\nnum_visible = 5\n",
      "type = 'deep'\nnum_visible = 3\nnum_hidden = [2, 3]\n",
  };
  for (const std::string& shape : shapes)
    for (const char* units : {"visible_units = 'binary'", "visible_units = 'spin'", "visible_units = 'levels'",
                              "visible_units = {type = 'categorical', num_states = 3}", "visible_units = 'gaussian'",
                              "hidden_units = 'gaussian'", "visible_units = 'gaussian'\nhidden_units = 'gaussian'"}) {
      const std::string toml = shape + units;
      if (toml.find("fully_visible") != std::string::npos && toml.find("hidden_units") != std::string::npos) continue;
      CAPTURE(toml);
      const auto model = make<EnergyModel>(toml);
      CheckReport report;
      check_model(*model, report);
      check_report(report, 6);
    }
}

TEST_CASE("a free field keeps what models promise, alone and beside hidden bits") {
  const std::string bits = R"([[layers]]
name = 'h'
size = 2
role = 'latent'
[[terms]]
type = 'coupling'
layers = ['v', 'h']
)";
  for (const std::string& toml : {std::string(free_field), free_field + bits}) {
    CAPTURE(toml);
    CheckReport report;
    check_model(*make<EnergyModel>(toml), report);
    check_report(report, 6);
  }
}

namespace {

/// Each estimator keeps what it promises, where it serves the model; `look` is told its name and whether it does.
void check_estimators_of(EnergyModel& model, FunctionRef<void(const std::string&, bool)> look) {
  for (const auto& entry : builtin().of<GradientEstimator>().entries()) {
    CAPTURE(entry.first);
    CheckReport report;
    check_estimator([&] { return estimator_named(entry.first); }, model, report);
    const bool serves = report.results().size() > 1;
    look(entry.first, serves);
    check_report(report, serves ? 4 : 0);
  }
}

}  // namespace

TEST_CASE("a machine with one bias for all units of a layer keeps what models promise, and estimators what they do") {
  const auto model = make<EnergyModel>(R"(type = 'layered'
layers = [{ name = 'v', size = 4, units = 'spin' }, { name = 'h', size = 3, role = 'latent' }]
terms = [{ type = 'coupling', layers = ['v', 'h'] }, { type = 'bias', layer = 'v', uniform = true },
         { type = 'bias', layer = 'h', uniform = true }]
)");
  CheckReport report;
  check_model(*model, report);
  check_report(report, 6);
  randomize(*model, 3, 0.375);
  check_estimators_of(*model, [](const std::string&, bool) {});
}

TEST_CASE("machines of counts and of positive numbers keep what models promise, and estimators what they do") {
  for (const char* toml :
       {"type = 'rbm'\nnum_visible = 4\nnum_hidden = 3\nvisible_units = 'poisson'",
        "type = 'rbm'\nnum_visible = 3\nnum_hidden = 2\nvisible_units = {type = 'exponential', rate = 8.0}\nnum_labels "
        "= 2",
        "type = 'rbm'\nnum_visible = 4\nnum_hidden = 3\nhidden_units = {type = 'gamma', shape = 0.75, rate = 8.0}",
        "type = 'deep'\nnum_visible = 3\nnum_hidden = [2, 3]\nvisible_units = 'poisson'",
        "type = 'semi_restricted'\nnum_visible = 3\nnum_hidden = 2\nhidden_units = {type = 'gamma', rate = 8.0}"}) {
    CAPTURE(toml);
    const auto model = make<EnergyModel>(toml);
    CheckReport report;
    check_model(*model, report);
    check_report(report, 6);
    randomize(*model, 3, 0.375);
    check_estimators_of(*model, [](const std::string& name, bool serves) {
      CHECK((serves || (name != "cd" && name != "pcd" && name != "contrastive")));
    });
  }
}

namespace {

/// Two machines, of which the lower one has labels and units of several states.
const char* const stack_toml = R"(type = 'stack'
[[machines]]
type = 'rbm'
num_visible = 2
num_hidden = 3
num_labels = 2
visible_units = {type = 'categorical', num_states = 3}
[[machines]]
type = 'rbm'
num_visible = 3
num_hidden = 2
)";

}  // namespace

TEST_CASE("a stack keeps what models promise, and the sampler of stacks what samplers do") {
  const auto model = make<EnergyModel>(stack_toml);
  CheckReport of_model, of_sampler;
  check_model(*model, of_model);
  check_report(of_model, 6);
  randomize(*model, 2);
  check_sampler([] { return make<Sampler>("type = 'top_down'"); }, *model, of_sampler);
  check_report(of_sampler, 5);
  CheckReport of_untied;
  check_model(*make<EnergyModel>(std::string("untied = true\n") + stack_toml), of_untied);
  check_report(of_untied, 6);
  // One whose inner sampler has something to remember.
  const auto gray = make<EnergyModel>(R"(type = 'stack'
[[machines]]
type = 'rbm'
num_visible = 3
num_hidden = 2
hidden_units = 'gaussian'
[[machines]]
type = 'rbm'
num_visible = 2
num_hidden = 2
visible_units = 'gaussian'
)");
  randomize(*gray, 2, 0.375);
  CheckReport of_adapting;
  check_sampler([] { return make<Sampler>("type = 'top_down'\nsampler = {type = 'hmc', adapt_steps = 40}"); }, *gray,
                of_adapting);
  check_report(of_adapting, 4);
}

TEST_CASE("every term keeps what terms promise, between all kinds of units") {
  for (const char* units : {"units = 'binary'", "units = 'spin'", "units = {type = 'categorical', num_states = 3}",
                            "units = 'levels'", "units = 'gaussian'"}) {
    const auto model = make<EnergyModel>(std::string("type = 'layered'\n[[layers]]\nname = 'a'\nsize = 3\n") + units +
                                         "\n[[layers]]\nname = 'b'\nsize = 4\n");
    for (const auto& entry : builtin().of<EnergyTerm>().entries()) {
      const bool of_layer = entry.first != "coupling",
                 single = entry.first == "bias" || entry.first == "precision" || entry.first == "crystal_field";
      if (entry.first == "precision" && std::string(units) != "units = 'gaussian'") continue;
      if (entry.first == "crystal_field" && std::string(units) != "units = 'levels'") continue;
      CAPTURE(units);
      CAPTURE(entry.first);
      const std::string toml = "type = '" + entry.first + "'\n" + (of_layer ? "layer = 'a'" : "layers = ['a', 'b']") +
                               (entry.first == "lattice" ? "\nshape = [3]" : "");
      CheckReport report;
      check_term([&] { return make<EnergyTerm>(toml); }, model->layout(), report);
      check_report(report, single ? 0 : 8);
    }
  }
}

TEST_CASE("every estimate of log Z keeps what it promises") {
  for (const char* toml : {"type = 'rbm'\nnum_visible = 4\nnum_hidden = 3",
                           "type = 'deep'\nnum_visible = 3\nnum_hidden = [2, 3]\nvisible_units = 'spin'"}) {
    CAPTURE(toml);
    const auto model = make<EnergyModel>(toml);
    randomize(*model, 2);
    for (const auto& entry : builtin().of<LogPartition>().entries()) {
      CAPTURE(entry.first);
      CheckReport report;
      check_log_partition(*make<LogPartition>("type = '" + entry.first + "'"), *model, report);
      check_report(report, 2);
    }
  }
}

TEST_CASE("every kind of unit keeps what units promise") {
  for (const auto& entry : builtin().of<UnitType>().entries()) {
    CAPTURE(entry.first);
    const auto unit =
        make<UnitType>("type = '" + entry.first + "'" + (entry.first == "categorical" ? "\nnum_states = 4" : ""));
    CheckReport report;
    check_unit(*unit, report);
    check_report(report, 4);
  }
}

TEST_CASE("every sampler keeps what samplers promise, on models that it serves") {
  struct Served {
    const char* toml = nullptr;
    double spread = 0.0;  ///< of the parameters; Gaussian units that are coupled too strongly have no density
    /// Alike in both precisions: samplers draw such units through the unit alone, which has a test above in each.
    bool by_the_unit_alone = false;
  };
  for (const Served& served :
       {Served{"type = 'rbm'\nnum_visible = 4\nnum_hidden = 3", 0.75},
        Served{"type = 'rbm'\nnum_visible = 2\nnum_hidden = 3\nvisible_units = 'poisson'", 0.5, true},
        Served{
            "type = 'rbm'\nnum_visible = 3\nnum_hidden = 2\nhidden_units = {type = 'gamma', shape = 1.5, rate = 8.0}",
            0.75, true},
        Served{"type = 'fully_visible'\nnum_visible = 6\nvisible_units = 'spin'", 0.75},
        Served{"type = 'fully_visible'\nnum_visible = 4\nvisible_units = 'levels'", 0.5, true},
        Served{"type = 'rbm'\nnum_visible = 3\nnum_hidden = 2\nvisible_units = {type = 'levels', num_states = 4}", 0.5,
               true},
        Served{"type = 'rbm'\nnum_visible = 3\nnum_hidden = 2\nvisible_units = 'gaussian'", 0.75},
        Served{"type = 'fully_visible'\nnum_visible = 3\nvisible_units = 'gaussian'", 0.375, true},
        Served{free_field, 0.25},
        Served{"type = 'boltzmann_machine'\nnum_visible = 2\nnum_hidden = 2\nvisible_units = 'gaussian'\n"
               "hidden_units = 'gaussian'",
               0.25}}) {
    if (single_precision && served.by_the_unit_alone) continue;
    const char* const toml = served.toml;
    const auto model = make<EnergyModel>(toml);
    randomize(*model, 2, served.spread);
    for (const auto& entry : builtin().of<Sampler>().entries()) {
      CAPTURE(toml);
      CAPTURE(entry.first);
      // At beta = 1 alone a ladder makes a base of its own, and promises are tried at others too.
      const std::string options = entry.first == "parallel_tempering"     ? "\nbetas = [1.0, 0.5, 0.0]\nbase = 'none'"
                                  : entry.first == "trajectory_tempering" ? "\nplaces = [1.0, 0.5, 0.0]"
                                  : entry.first == "tempered_transitions" ? "\nnum_temperatures = 3"
                                                                          : "";
      CheckReport report;
      check_sampler([&] { return make<Sampler>("type = '" + entry.first + "'" + options); }, *model, report);
      const bool serves = report.results().size() > 1;
      CHECK((serves || entry.first == "langevin" || entry.first == "exact" || entry.first == "flip_the_state" ||
             entry.first == "parallel_tempering" || entry.first == "top_down" || entry.first == "hmc" ||
             entry.first == "locally_balanced" || entry.first == "swendsen_wang"));
      check_report(report, serves ? 5 : 0);
    }
  }
}

TEST_CASE("samplers that move what is seen with all else summed out keep what samplers promise") {
  struct Served {
    const char *model, *sampler;
  };
  for (const Served& served :
       {Served{"type = 'rbm'\nnum_visible = 3\nnum_hidden = 2\nvisible_units = 'gaussian'", "type = 'hmc'"},
        Served{"type = 'rbm'\nnum_visible = 2\nnum_hidden = 2\nvisible_units = 'gaussian'\nhidden_units = 'gaussian'",
               "type = 'hmc'"},
        Served{"type = 'rbm'\nnum_visible = 4\nnum_hidden = 3", "type = 'locally_balanced'\nmoves = 2"},
        Served{"type = 'rbm'\nnum_visible = 3\nnum_hidden = 2\nvisible_units = {type = 'categorical', num_states = 3}",
               "type = 'locally_balanced'\nbalance = 'sqrt'"},
        // Seen units of two kinds, of which one moves and the other is drawn.
        Served{R"(type = 'layered'
layers = [{name = 'gray', size = 2, units = 'gaussian'}, {name = 'bits', size = 2}, {name = 'hidden', size = 2, role = 'latent'}]
terms = [{type = 'coupling', layers = ['gray', 'hidden']}, {type = 'coupling', layers = ['bits', 'hidden']}])",
               "type = 'locally_balanced'\nmoves = 2"}}) {
    CAPTURE(served.model);
    CAPTURE(served.sampler);
    const auto model = make<EnergyModel>(served.model);
    randomize(*model, 2, 0.375);
    CheckReport report;
    check_sampler([&] { return make<Sampler>(std::string(served.sampler) + "\nmarginal = true"); }, *model, report);
    CHECK(report.results().size() > 1);
    check_report(report, 5);
  }
}

TEST_CASE(
    "cluster moves keep what samplers promise, of lattices, sites of several states, labels and fields of a ghost") {
  const std::string sites = R"(type = 'layered'
layers = [{name = 'v', size = 5, units = {type = 'categorical', num_states = 3}}]
terms = [{type = 'lattice', layer = 'v', shape = [5]}])",
                    spins = R"(type = 'layered'
layers = [{name = 'v', size = 6, units = 'spin'}]
terms = [{type = 'lattice', layer = 'v', shape = [2, 3], open_axes = [0]}])";
  for (const std::string& of :
       {sites, spins, std::string("type = 'rbm'\nnum_visible = 3\nnum_hidden = 3\nnum_labels = 3"),
        std::string("type = 'fully_visible'\nnum_visible = 4\nvisible_units = {type = 'categorical', num_states = 4}")})
    for (const char* fields : {"sum", "ghost"}) {
      CAPTURE(of);
      CAPTURE(fields);
      const auto model = make<EnergyModel>(of);
      randomize(*model, 2, 0.75);
      CheckReport report;
      check_sampler([&] { return make<Sampler>(std::string("type = 'swendsen_wang'\nfields = '") + fields + "'"); },
                    *model, report);
      check_report(report, 5);
    }
}

TEST_CASE("every estimator, optimizer and regularizer keeps what it promises") {
  const auto model = make<EnergyModel>("type = 'rbm'\nnum_visible = 4\nnum_hidden = 3");
  randomize(*model, 3, 0.5);
  const auto untied = make<EnergyModel>(std::string("untied = true\n") + stack_toml);
  randomize(*untied, 3, 0.5);
  for (const auto& entry : builtin().of<GradientEstimator>().entries()) {
    CAPTURE(entry.first);
    CheckReport report;
    check_estimator([&] { return estimator_named(entry.first); }, entry.first == "wake_sleep" ? *untied : *model,
                    report);
    const bool serves = report.results().size() > 1;
    CHECK((serves || entry.first.find("score_matching") != std::string::npos));
    check_report(report, serves ? 5 : 0);
  }
  for (const auto& entry : builtin().of<Optimizer>().entries()) {
    CAPTURE(entry.first);
    CheckReport report;
    check_optimizer([&] { return make<Optimizer>("type = '" + entry.first + "'"); }, *model, report);
    check_report(report, 3);
  }
  for (const auto& entry : builtin().of<Regularizer>().entries()) {
    CAPTURE(entry.first);
    CheckReport report;
    check_regularizer(*make<Regularizer>("type = '" + entry.first + "'"), *model, report);
    check_report(report, 2);
  }
}

}  // namespace builtin_test
