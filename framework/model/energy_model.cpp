#include <harmonium/framework/model/energy_model.hpp>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

BlockConditionals::~BlockConditionals() = default;
LayerKernel::~LayerKernel() = default;
FactorizedExpectation::~FactorizedExpectation() = default;
FreeEnergy::~FreeEnergy() = default;
StateGradient::~StateGradient() = default;
Score::~Score() = default;
EnergyModel::~EnergyModel() = default;

// Who overrides it keeps the mask.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void EnergyModel::set_mask(Index position, std::vector<std::uint8_t>) {
  throw ConfigError(
      fmt::format("{}: this model has no parameters that may be absent", parameter_layout()[position].name));
}

void LayerKernel::energy(LayerSet, std::span<const double>, ConstChainView, std::span<double>) const {
  throw CapabilityError("the energy does not follow from what this kernel draws from.");
}

std::unique_ptr<EnergyModel> EnergyModel::copy() const { return nullptr; }

StateSizes state_sizes(const EnergyModel& model, Index rows) {
  const Index theta = model.parameter_layout().size();
  StateSizes sizes{.parameters = theta, .moved = theta, .rows = rows};
  for (const Layer& layer : model.layout().layers()) sizes.columns.push_back(layer.columns());
  return sizes;
}
std::string EnergyModel::formula() const { return ""; }
Value EnergyModel::configuration() const { return {}; }
const void* EnergyModel::extension(std::string_view) const { return nullptr; }

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
