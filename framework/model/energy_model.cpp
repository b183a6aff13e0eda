#include <harmonium/framework/model/energy_model.hpp>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

BlockConditionals::~BlockConditionals() = default;
LayerKernel::~LayerKernel() = default;
FactorisedExpectation::~FactorisedExpectation() = default;
FreeEnergy::~FreeEnergy() = default;
StateGradient::~StateGradient() = default;
EnergyModel::~EnergyModel() = default;

void EnergyModel::set_mask(Index position, std::vector<std::uint8_t>) {
  throw ConfigError(
      fmt::format("{}: this model has no parameters that may be absent", parameter_layout()[position].name));
}

const void* EnergyModel::extension(std::string_view) const { return nullptr; }

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
