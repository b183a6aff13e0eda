// Gaussian units of a pairwise model that are coupled with one another: their joint law.
#include <cmath>
#include <limits>

#include <harmonium/models/pairwise.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

bool Pairwise::gaussian(LayerId layer) const {
  const UnitType& unit = *layout_[layer].unit;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return unit.num_states() == 0 && unit.has_curvature() && unit.least() == -infinity && unit.greatest() == infinity;
}

LayerSet Pairwise::coupled_gaussians(LayerSet set) const {
  LayerSet coupled;
  for (const Coupling& c : couplings_) {
    if (!set.contains(c.a) || !set.contains(c.b) || !gaussian(c.a) || !gaussian(c.b)) continue;
    coupled.add(c.a).add(c.b);
  }
  return coupled;
}

std::vector<Index> Pairwise::joint_columns(LayerSet coupled) const {
  std::vector<Index> at(layout_.size(), 0);
  Index columns = 0;
  for (const LayerId l : layout_.ids()) {
    at[static_cast<Index>(l)] = columns;
    if (coupled.contains(l)) columns += layout_[l].columns();
  }
  return at;
}

std::vector<double> Pairwise::joint_precision(LayerSet coupled) const {
  const std::vector<Index> at = joint_columns(coupled);
  const Index n = layout_.columns(coupled);
  std::vector<double> precision(n * n, 0.0);
  for (const LayerId l : layout_.ids()) {
    if (!coupled.contains(l)) continue;
    const Index first = at[static_cast<Index>(l)];
    const Real* log_gamma = theta_.data() + parameter_layout_[log_precision_[static_cast<Index>(l)]].offset;
    for (Index c = 0; c < layout_[l].columns(); ++c)
      precision[(first + c) * n + first + c] = std::exp(static_cast<double>(log_gamma[c]));
  }
  for (const Coupling& c : couplings_) {
    if (!coupled.contains(c.a) || !coupled.contains(c.b)) continue;
    const ConstMatrixRef w = tensor(c.block);
    const Index first = at[static_cast<Index>(c.a)], second = at[static_cast<Index>(c.b)];
    for (Index i = 0; i < w.rows; ++i) {
      for (Index j = 0; j < w.cols; ++j) {
        if (c.lateral() && i == j) continue;
        precision[(first + i) * n + second + j] = precision[(second + j) * n + first + i] =
            -static_cast<double>(w(i, j));
      }
    }
  }
  return precision;
}

const JointGaussian& Pairwise::joint_law(LayerSet coupled, std::optional<JointGaussian>& own) const {
  if (coupled == coupled_) return *joint_;
  const std::vector<double> precision = joint_precision(coupled);
  const Index n = layout_.columns(coupled);
  own = JointGaussian::of({precision.data(), n, n, n});
  return *own;  // a part of a positive definite matrix is one
}

void Pairwise::joint_fields(LayerSet coupled, LayerSet kept, ConstChainView x, MatrixView<double> out) const {
  const std::vector<Index> at = joint_columns(coupled);
  for (const LayerId l : layout_.ids()) {
    if (!coupled.contains(l)) continue;
    const Index first = at[static_cast<Index>(l)];
    kept_fields(l, kept, x, out.columns(first, first + layout_[l].columns()));
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
