#pragma once

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/model/per_layer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether conditionals at means can be had: latent units, if there are any, that are independent given the observed ones, and
/// an energy that their means can be put into.
bool offers_conditionals_at_means(const EnergyModel& model);

/// log p(x_u | the other observed units, ĥ) of some rows, with the means ĥ = E[h | x] in the place of the latent units, for units
/// u of the observed layers of discrete units.
///
/// It stands for log p(x_u | the other observed units), which has the latent units summed out: of all units of a row it costs
/// about what a reconstruction does. It is never less. For the energy is linear in x_u but for terms of its own, so that
/// −β F(x) is these and a convex function of x_u, of which the field at ĥ is a tangent. Without latent units it is the same.
class ConditionalsAtMeans {
 public:
  ConditionalsAtMeans(const EnergyModel& model, double beta, ConstChainView x);
  /// Of unit `unit` of the layer, in row r.
  double of_unit(LayerId layer, Index r, Index unit) const;
  /// Σ over the units of the layer, of each row.
  std::vector<double> sums(LayerId layer) const;

 private:
  BasicFields<const double> fields(LayerId layer) const;
  /// β (linear · x − ½ curvature · x²) of the columns [begin, end).
  double log_weight_of(LayerId layer, Index r, Index begin, Index end) const;

  const Layout& layout_;
  Chains at_;
  std::vector<double> scale_;                    ///< β of each row
  PerLayer<Matrix<double>> linear_, curvature_;  ///< of observed layers, at β = 1
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
