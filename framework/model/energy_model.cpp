#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

BlockConditionals::~BlockConditionals() = default;
LayerKernel::~LayerKernel() = default;
FactorisedExpectation::~FactorisedExpectation() = default;
FreeEnergy::~FreeEnergy() = default;
StateGradient::~StateGradient() = default;
Score::~Score() = default;
EnergyModel::~EnergyModel() = default;

std::unique_ptr<EnergyModel> EnergyModel::copy() const { return nullptr; }
const void* EnergyModel::extension(std::string_view) const { return nullptr; }

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
