#include <harmonium/framework/model/latent_couplings.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <harmonium/framework/model/domain.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// γ of each unit of a layer; nothing where no tensor says it.
std::vector<double> precisions(const EnergyModel& model, LayerId layer) {
  std::vector<double> all;
  for (const ParameterBlock& block : model.parameter_layout().blocks())
    if (is_curvature(block) && block.layers[0] == layer)
      for (const Real value : model.parameters().subspan(block.offset, block.size()))
        all.push_back(curvature_of(block.role, static_cast<double>(value)));
  return all;
}

/// W Γ^(−1/2) of a coupling with a latent layer: rows are columns of the observed one.
Matrix<double> scaled_weights(const EnergyModel& model, const ParameterBlock& block, LayerId layer) {
  const bool rows_observed = block.layers[0] == layer;
  const std::vector<double> precision = precisions(model, block.layers[rows_observed ? 1 : 0]);
  const Index columns = rows_observed ? block.rows : block.cols;
  Matrix<double> scaled = zeros<double>(columns, precision.size());
  const Real* const w = model.parameters().data() + block.offset;
  for (Index i = 0; i < columns; ++i)
    for (Index k = 0; k < precision.size(); ++k)
      scaled(i, k) =
          static_cast<double>(w[rows_observed ? i * block.cols + k : k * block.cols + i]) / std::sqrt(precision[k]);
  return scaled;
}

}  // namespace

std::optional<LayerId> latent_of_other_kind(const EnergyModel& model) {
  const Layout& layout = model.layout();
  const std::vector<ParameterBlock>& blocks = model.parameter_layout().blocks();
  const auto couples_latent = [&](const ParameterBlock& block, LayerId layer) {
    return is_coupling(block) && std::ranges::find(block.layers, layer) != block.layers.end() &&
           std::ranges::all_of(block.layers, [&](LayerId l) { return layout.latent().contains(l); });
  };
  const bool others =
      std::ranges::any_of(blocks, [](const ParameterBlock& b) { return b.role == ParameterRole::other; });
  for (const LayerId l : layout.ids(layout.latent()))
    if (others || !is_normal(*layout[l].unit) || precisions(model, l).size() != layout[l].columns() ||
        std::ranges::any_of(blocks, [&](const ParameterBlock& block) { return couples_latent(block, l); }))
      return l;
  return {};
}

Matrix<double> couplings_by_latent(const EnergyModel& model, LayerId layer) {
  const Layout& layout = model.layout();
  const Index columns = layout[layer].columns(), width = layout[layer].unit->width();
  Matrix<double> out = zeros<double>(columns, columns);
  for (const ParameterBlock& block : model.parameter_layout().blocks()) {
    if (block.role != ParameterRole::coupling || std::ranges::find(block.layers, layer) == block.layers.end() ||
        std::ranges::none_of(block.layers, [&](LayerId l) { return layout.latent().contains(l); }))
      continue;
    const Matrix<double> scaled = scaled_weights(model, block, layer);
    for (Index i = 0; i < columns; ++i)
      for (Index j = (i / width + 1) * width; j < columns; ++j) {
        const double* const a = &scaled(i, 0);
        out(i, j) += std::inner_product(a, a + scaled.shape(1), &scaled(j, 0), 0.0);
        out(j, i) = out(i, j);
      }
  }
  return out;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
