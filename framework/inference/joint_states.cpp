#include <harmonium/framework/inference/joint_states.hpp>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

JointStates::JointStates(const Layout& layout, LayerSet layers) : set_(layers) {
  for (const LayerId l : layout.ids()) {
    if (!layers.contains(l)) continue;
    const Layer& layer = layout[l];
    LayerStates s{l, layer.unit->num_states(), layer.unit->width(), layer.size, size_, {}};
    if (s.states == 0)
      throw CapabilityError(
          fmt::format("the units of layer '{}' are continuous, and their states cannot be counted.", layer.name));
    s.values.resize(s.states * s.width);
    layer.unit->states({s.values.data(), s.states, s.width, s.width});
    for (Index u = 0; u < s.units; ++u) size_ *= s.states;
    layers_.push_back(std::move(s));
  }
}

void JointStates::write(std::uint64_t begin, std::uint64_t end, Chains& out) const {
  std::vector<MatrixRef> values;
  for (const LayerStates& s : layers_) values.push_back(out.write(s.layer));
  for (std::uint64_t i = begin; i < end; ++i) {
    std::uint64_t rest = i;
    for (Index l = 0; l < layers_.size(); ++l) {
      const LayerStates& s = layers_[l];
      Real* x = values[l].row(i - begin);
      for (Index u = 0; u < s.units; ++u) {
        const Real* state = s.values.data() + (rest % s.states) * s.width;
        rest /= s.states;
        std::copy(state, state + s.width, x + u * s.width);
      }
    }
  }
}

std::uint64_t JointStates::number(const Chains& rows, Index row) const {
  std::uint64_t number = 0;
  for (const LayerStates& s : layers_) {
    const Real* x = rows.read(s.layer).row(row);
    std::uint64_t stride = s.stride;
    for (Index u = 0; u < s.units; ++u, stride *= s.states) {
      const Real* own = x + u * s.width;
      Index state = 0;
      while (state < s.states && !std::equal(own, own + s.width, s.values.data() + state * s.width)) ++state;
      if (state == s.states)
        throw CapabilityError(fmt::format("row {} holds {:g}, which is no state of its unit.", row, double{own[0]}));
      number += state * stride;
    }
  }
  return number;
}

JointStates::Digit JointStates::digit(LayerId layer, Index unit) const {
  const auto s = std::ranges::find_if(layers_, [&](const LayerStates& l) { return l.layer == layer; });
  HARMONIUM_ASSERT(s != layers_.end() && unit < s->units);
  std::uint64_t stride = s->stride;
  for (Index u = 0; u < unit; ++u) stride *= s->states;
  return {s->states, stride};
}

std::optional<LayerSet> set_of_fewest_states(const Layout& layout, LayerSet layers,
                                             const std::function<bool(LayerSet)>& serves) {
  constexpr Index most_layers = 16;
  const std::vector<LayerId> among = layout.ids(layers);
  if (among.size() > most_layers) return {};
  std::optional<LayerSet> best;
  double fewest = std::numeric_limits<double>::infinity();
  for (std::uint32_t bits = 0; bits < (1u << among.size()); ++bits) {
    LayerSet set;
    for (Index i = 0; i < among.size(); ++i)
      if ((bits >> i) & 1u) set.add(among[i]);
    const double size = layout.log2_states(set);
    if (size < fewest && serves(set)) {
      fewest = size;
      best = set;
    }
  }
  return best;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
