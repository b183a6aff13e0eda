#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/model/site_grid.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What is measured of the n units of one layer beside the energy of all.
///
/// Units of one column and two states a < b count as spins, s = 2 (x − a)/(b − a) − 1: 0 and 1 are −1 and 1. Of them the
/// magnetization is m = Σ s_i / n, and the overlap of two configurations q = Σ s_i s'_i / n. Of other units of one column the
/// mean is Σ x_i / n, the mean square Σ x_i² / n, and q = Σ x_i x'_i / n; where there are states that are equally spaced about 0,
/// as those of a spin of any size, the mean is a magnetization. Of sites, which have a column a state, there is the share of them
/// in each state, and q is the share of sites that are in the same state in both.
///
/// Where the units are sites of a grid there is also, for each axis and distance, the mean over sites of s_i s_j, or of x_i x_j,
/// or of whether the two are in the same state. Of spins of any size that are coupled, where each axis that goes round has an even number of sites, there is
/// the staggered magnetization m_s = Σ ε_i s_i / n, ε_i being 1 on the sites whose coordinates have an even sum, and else −1: the order of an
/// antiferromagnet. It takes the values that the magnetization does.
///
/// Where units of the layer are coupled with one another there is also the mean over the pairs that a coupling other than 0
/// joins: of s_i s_j, or x_i x_j, and of sites of δ(s_i, s_j), which is 1 where the two are in the same state and else 0.
class LayerObservables {
 public:
  enum class Kind : std::uint8_t { spins, numbers, sites };

  /// `model` must outlive it, and keep its parameters. `grid`: null, or as many sites as the layer has units; distances go to half
  /// of an axis that goes round, and from end to end of an open one.
  LayerObservables(const EnergyModel& model, LayerId layer, const SiteGrid* grid = nullptr);

  LayerId layer() const { return layer_; }
  Kind kind() const { return kind_; }
  Index num_units() const { return num_units_; }
  /// "magnetization" or "mean", of numbers then "mean_square"; or "share_0", "share_1", …; where there are pairs then
  /// pair_name(); where there is a least_wave_number() then
  /// "structure_factor"; where is_staggered() then "staggered_magnetization", and where there are both "staggered_structure_factor"; then one for
  /// each of distances().
  const std::vector<std::string>& names() const { return names_; }
  Index num_pairs() const { return num_pairs_; }
  /// What the mean over the pairs is called: "pair_correlation", or "pair_delta" of sites.
  const char* pair_name() const { return kind_ == Kind::sites ? "pair_delta" : "pair_correlation"; }
  /// What the magnetization may be: first + k step, k < count. Nothing where there is none.
  struct Levels {
    double first, step;
    Index count;
  };
  const std::optional<Levels>& magnetizations() const { return magnetizations_; }
  /// How many of names() are of the layer as a whole: all but those of the pairs and of the grid.
  Index num_of_layer() const { return num_measured() - (num_pairs_ > 0 ? 1 : 0); }
  /// Of spins on a grid with axes that go round, the least k but 0: 2π/L along those of the most sites, L. The structure factor
  /// |Σ_j s_j exp(i k x_j)|²/n is the mean of theirs.
  const std::optional<double>& least_wave_number() const { return wave_number_; }
  /// The place of the structure factor in names().
  Index place_of_structure_factor() const { return num_measured(); }
  /// Whether there is a staggered magnetization.
  bool is_staggered() const { return !signs_.empty(); }
  /// Whether there is one and each coupling joins sites of opposite signs in it, as where it is the order of an antiferromagnet.
  bool couples_checkerboard() const;
  /// Its place in names().
  Index place_of_staggered() const { return num_measured() + (wave_number_ ? 1 : 0); }
  /// Whether there is the structure factor of ε_i s_i at the least wave number, that of s at (π, …, π) + k; it has the next place.
  bool has_staggered_structure_factor() const { return is_staggered() && wave_number_; }
  Index place_of_staggered_structure_factor() const { return place_of_staggered() + 1; }
  /// Of sites along one axis, counted from 0.
  struct Distance {
    Index axis, sites;
  };
  const std::vector<Distance>& distances() const { return distances_; }
  /// The mean of f over the pairs of sites so far from each other.
  double mean_at(const Distance& distance, FunctionRef<double(Index one, Index other)> f) const;

  /// How many numbers say what a unit is: of sites one for each state, which is 1 in that state and else 0; of others its s, or x.
  Index numbers_of_unit() const { return kind_ == Kind::sites ? states_.size() / width_ : width_; }
  /// out: units × numbers_of_unit(). The product of two units' is s_i s_j, x_i x_j, or δ(s_i, s_j) of sites.
  void tell_units(std::span<const Real> row, std::span<double> out) const;
  /// i < j, in order, of which a coupling other than 0 joins units i and j.
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<Pair> coupled_pairs() const;

  /// out: rows of `chains` × names(). The same bits for any number of threads.
  void evaluate(const Chains& chains, const Executor& executor, MatrixView<double> out) const;
  /// q of two rows of chains.
  double overlap(const Chains& chains, Index one, Index other) const;
  /// Of sites: Σ_ab Q_ab² of two rows, Q_ab being the share of the sites that are in state a in the one and in b in the other. No
  /// permutation of the states in either row changes it.
  double joint_overlap(const Chains& chains, Index one, Index other) const;

 private:
  void find_magnetizations(const UnitType& unit);
  void find_pairs(const EnergyModel& model);
  void find_wave_number(const SiteGrid& grid);
  void find_signs(const SiteGrid& grid);
  void find_distances(const SiteGrid& grid);
  /// Of names() those before what is of the grid.
  Index num_measured() const {
    return names_.size() - distances_.size() - (wave_number_ ? 1 : 0) - (is_staggered() ? 1 : 0) -
           (has_staggered_structure_factor() ? 1 : 0);
  }
  /// `signs`: of each site, or none.
  double structure_factor(std::span<const Real> row, std::span<const double> signs) const;
  double staggered(std::span<const Real> row) const;
  double spin(Real x) const { return scale_ * static_cast<double>(x) + shift_; }
  double sum_of_pairs(std::span<const Real> row) const;
  void measure(std::span<const Real> row, std::span<double> out) const;
  bool in_state(std::span<const Real> row, Index site, Index state) const;
  Index state_of(std::span<const Real> row, Index site) const;
  void count_states(std::span<const Real> row, std::span<double> out) const;
  void correlate(std::span<const Real> row, std::span<double> out) const;
  double likeness(std::span<const Real> row, Index one, Index other) const;

  LayerId layer_;
  Kind kind_ = Kind::numbers;
  Index num_units_, width_, num_pairs_ = 0;
  double scale_ = 1.0, shift_ = 0.0;  ///< s = scale x + shift
  std::vector<Real> states_;          ///< of sites: state × column
  std::vector<std::string> names_;
  std::optional<Levels> magnetizations_;
  bool all_pairs_ = false;
  std::vector<Pair> pairs_;  ///< none where all are coupled
  SiteGrid grid_;
  std::vector<Distance> distances_;
  std::optional<double> wave_number_;
  std::vector<Index> wave_steps_;        ///< of each axis along which waves go: sites from one to the next
  std::vector<double> cosines_, sines_;  ///< of k x, x = 0, 1, … along such an axis
  std::vector<double> signs_;            ///< ε of each site; none where it is not staggered
};

/// The number of units of all layers: what averages per unit are divided by.
Index num_all_units(const Layout& layout);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
