#include <harmonium/framework/model/term.hpp>

#include <algorithm>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void check_given(const std::string& layer) {
  if (layer.empty()) throw ConfigError("'layer' must be given: the name of a layer, such as \"visible\".");
}

Tensor add_tensor(ParameterLayout& parameters, ParameterBlock block) {
  const Index position = parameters.add(std::move(block));
  const ParameterBlock& added = parameters[position];
  return {position, added.offset, added.rows, added.cols};
}

EnergyTerm::~EnergyTerm() = default;
bool EnergyTerm::add_neighbors(LayerId, std::vector<std::vector<std::uint32_t>>&) const { return false; }
const Real* EnergyTerm::bias(LayerId, const Real*) const { return nullptr; }
const Real* EnergyTerm::log_precision(LayerId, const Real*) const { return nullptr; }
const Real* EnergyTerm::crystal_field(LayerId, const Real*) const { return nullptr; }
void EnergyTerm::finish_gradient(std::span<Real>) const {}
std::optional<std::string> EnergyTerm::refresh(const Real*) { return {}; }
// Who overrides it keeps the mask.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
bool EnergyTerm::set_mask(ParameterLayout&, Index, std::vector<std::uint8_t>) { return false; }
std::optional<EnergyTerm::Bilinear> EnergyTerm::bilinear() const { return {}; }

bool couples_any(const EnergyTerm& term, LayerSet set, const Layout& layout) {
  const std::vector<LayerId> ids = layout.ids();
  return std::ranges::any_of(ids, [&](LayerId a) {
    return set.contains(a) &&
           std::ranges::any_of(ids, [&](LayerId b) { return set.contains(b) && term.couples(a, b); });
  });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
