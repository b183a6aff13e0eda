#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/core/joint_gaussian.hpp>
#include <harmonium/framework/model/layout.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

class EnergyTerm;
class ExactRows;
class LatticeTerm;
class LayeredModel;

/// Whether the units of a layer are normal given the others.
bool is_gaussian(const Layer& layer);

/// The term, where it is a lattice of Gaussian units, which these couplings leave jointly normal as bilinear terms do; else null.
const LatticeTerm* gaussian_lattice(const EnergyTerm& term, const Layout& layout);

/// Whether the units of a layer have no upper end and no precision, so that a law takes fields below a limit of theirs:
/// Poisson, exponential and gamma units.
bool wants_field_below_limit(const Layer& layer);

/// The continuous units of a layered model that are coupled with one another: which they are, whether θ defines a density,
/// and the joint law of Gaussian ones given the rest. Made of a model's terms, and anew of its θ at each `refresh`.
class ContinuousLaw {
 public:
  ContinuousLaw() = default;
  explicit ContinuousLaw(const LayeredModel& model);

  /// What is wrong with the fields of units that need them below a limit, or nothing: the largest field over all values of
  /// the neighbors is what counts, exactly.
  static std::optional<std::string> field_limits(const LayeredModel& model);
  /// What is wrong with θ, or nothing, and the laws that follow from it.
  std::optional<std::string> refresh(const LayeredModel& model);

  /// The Gaussian layers of `set` that are coupled with one of `set`: their units are jointly normal, not independent.
  static LayerSet coupled_gaussians(const LayeredModel& model, LayerSet set);
  /// First column of each layer among those of `coupled`, one beside the other.
  static std::vector<Index> columns(const LayeredModel& model, LayerSet coupled);
  /// γ on the diagonal, −L, of lattices too, and −W beside it.
  static std::vector<double> precision(const LayeredModel& model, LayerSet coupled);
  /// What the kept layers add to the fields of all of `coupled`, one beside the other.
  static void fields(const LayeredModel& model, LayerSet coupled, LayerSet kept, const ExactRows& x,
                     MatrixView<double> out);
  /// Their law given all others, but for its fields; `own` keeps it where it is not the one at hand.
  const JointGaussian& joint(const LayeredModel& model, LayerSet coupled, std::optional<JointGaussian>& own) const;
  /// That of one layer given all others.
  const JointGaussian& lateral(LayerId layer) const { return *lateral_[static_cast<Index>(layer)]; }

 private:
  bool half_lines_have_density(const LayeredModel& model) const;

  LayerSet half_lines_;  ///< layers on half lines coupled with one another or with Gaussian ones, and these
  LayerSet coupled_;     ///< Gaussian layers that are coupled with one another
  std::optional<JointGaussian> joint_;                 ///< theirs
  std::vector<std::optional<JointGaussian>> lateral_;  ///< of each layer of Gaussian units coupled with each other
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
