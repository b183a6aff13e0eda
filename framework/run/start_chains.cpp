#include <harmonium/framework/run/start_chains.hpp>

#include <algorithm>
#include <vector>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void start_from_biases(const EnergyModel& model, double beta, const RandomSource& random, Chains& chains) {
  const Layout& layout = model.layout();
  const ParameterLayout& parameters = model.parameter_layout();
  for (const LayerId l : layout.ids()) {
    const Layer& layer = layout[l];
    std::vector<Real> linear(layer.columns(), 0), curvature(layer.columns(), 1);
    for (const ParameterBlock& b : parameters.blocks()) {
      if (b.layers.size() != 1 || b.layers[0] != l) continue;
      const auto values = model.parameters().subspan(b.offset, b.size());
      if (b.role == ParameterRole::bias) std::copy(values.begin(), values.end(), linear.begin());
      if (is_curvature(b))
        std::transform(values.begin(), values.end(), curvature.begin(),
                       [&](Real v) { return curvature_of(b.role, v); });
    }
    const MatrixRef state = chains.write(l);
    const std::vector<Real> scale(state.rows, static_cast<Real>(beta));
    ConstFields fields{{linear.data(), state.rows, state.cols, 0}};
    if (layer.unit->has_curvature()) fields.curvature = {curvature.data(), state.rows, state.cols, 0};
    fields.scale = scale.data();
    layer.unit->sample(fields, DrawBlock::of(random, chains.first_chain(), 0, l), state, {});
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
