#include <harmonium/framework/testing/model_suite.hpp>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/model_checks.hpp>
#include <harmonium/framework/testing/score_check.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// Whether there are parameters to check the model with.
bool set_parameters(EnergyModel& model, CheckReport& report) {
  std::string why;
  for (const double spread : {1.0, 0.25, 1.0 / 16, 0.0}) {
    try {
      randomize(model, 11, spread);
      // Differences go to both sides.
      const auto nothing = [] { return std::vector<double>(); };
      for (const std::vector<Index>& entries : compared_parameters(model))
        derivative(model, entries, 2.0 * ModelSubject::step, nothing);
      return true;
    } catch (const NumericalError& error) {
      why = error.what();
    }
  }
  report.add(CheckOutcome::failed, "parameters",
             fmt::format("neither small random parameters nor zeros define a density: {}", why));
  return false;
}

}  // namespace

void check_model(EnergyModel& model, CheckReport& report) {
  if (!set_parameters(model, report)) return;
  const ModelSubject m(model, report);
  check_rows_alone(m);
  check_gradient(m);
  if (const BlockConditionals* conditionals = model.block_conditionals()) check_conditionals(m, *conditionals);
  else report.skip("conditionals against energy ratios", "the model offers no conditionals");
  if (const StateGradient* gradient = model.state_gradient()) check_state_gradient(m, *gradient);
  if (model.score() && model.score()->offered(model.layout().observed()))
    check_score(model, m.rows, m.scale, compared_parameters(model), report);
  check_gradient_threads(m);
  if (!model.factorized_expectation() && !model.free_energy()) return;
  if (model.layout().log2_states(model.layout().all()) > most_enumerated) {
    report.skip("free energy and expectations against sums over states",
                "there are too many states, or continuous units");
    return;
  }
  if (const FactorizedExpectation* expectation = model.factorized_expectation()) check_expectation(m, *expectation);
  if (const FreeEnergy* free = model.free_energy()) check_free_energy(m, *free);
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
