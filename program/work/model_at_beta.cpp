#include <harmonium/program/work/model_at_beta.hpp>

#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/scaled_copy.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/program/work/betas.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::unique_ptr<EnergyModel> model_at_beta(std::unique_ptr<EnergyModel> model, double beta) {
  if (beta == 1.0) return model;
  if (stacked_machines(*model))
    throw CapabilityError(
        "--beta: the law of a stack at another temperature is no stack's. Leave the temperature at 1.");
  check_laws_at_zero({beta}, model->layout(), "--beta", "Take a beta above 0.");
  std::unique_ptr<EnergyModel> scaled;
  try {
    scaled = scaled_copy(*model, beta);
  } catch (const NumericalError& error) {
    throw CapabilityError(fmt::format("--beta: at beta = {:g} {}. Take one nearer to 1.", beta, error.what()));
  }
  if (!scaled)
    throw CapabilityError(fmt::format(
        "--beta: what is found at beta = {:g} is that of parameters times beta, and the energy of this model is not "
        "linear "
        "in its parameters, or these are then too large for numbers. Leave the temperature at 1, or take draws by "
        "'harmonium sample --beta'.",
        beta));
  return scaled;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
