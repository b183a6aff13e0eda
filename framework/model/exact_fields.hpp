#pragma once

#include <string_view>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/model/exact_rows.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What a model offers that can tell natural parameters of single units in double in both precisions, as BlockConditionals::fields
/// tells them in Real: sums over states, with units integrated out, are then as exact as free energies are. Whoever asks gets it
/// by EnergyModel::extension.
class ExactFields {
 public:
  static constexpr std::string_view extension_id = "harmonium.exact_fields";
  virtual ~ExactFields();

  /// out = the linear parameters, at β = 1, of all units of `layer` given the layers of `given`; of units that are independent
  /// of all others given these. Reads these layers only.
  virtual void exact_fields(LayerId layer, LayerSet given, const ExactRows& x, MatrixView<double> out) const = 0;
  /// γ of the layer, a number a column; zeros where its units have no curvature.
  virtual std::vector<double> exact_curvatures(LayerId layer) const = 0;
};

/// Null where the model does not offer them.
const ExactFields* exact_fields(const EnergyModel& model);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
