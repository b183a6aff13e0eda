#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/inference/layer_observables.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What is measured of each unit of a layer and of pairs of them, and not of the layer as a whole: LayerObservables::tell_units, and
/// the products of pairs, Σ_a v_ia v_ja of the numbers v of units i and j. The means of spins, ⟨s_i⟩ and ⟨s_i s_j⟩, are what an inverse
/// Ising problem starts from (Ackley, Hinton & Sejnowski 1985).
class LocalObservables {
 public:
  enum class Pairs : std::uint8_t { coupled, all };
  /// Whether the numbers of each pair are multiplied one by one too, v_ia v_jb: of sites how often the pair is in the states a and b,
  /// whose means are the two-site frequencies f_ij(a, b).
  enum class Frequencies : std::uint8_t { none, of_pairs };
  using Pair = LayerObservables::Pair;

  /// `what` must outlive it.
  LocalObservables(const LayerObservables& what, Pairs pairs, Frequencies frequencies = Frequencies::none);

  const LayerObservables& layer() const { return what_; }
  /// i < j, in order.
  const std::vector<Pair>& pairs() const { return pairs_; }
  /// Of each pair whether a coupling joins it; empty: one joins all.
  const std::vector<std::uint8_t>& coupled() const { return coupled_; }
  Index numbers_of_unit() const { return what_.numbers_of_unit(); }
  /// Those of the units, unit × numbers_of_unit().
  Index num_of_units() const { return what_.num_units() * numbers_of_unit(); }
  /// Those of the frequencies, pair × numbers_of_unit() of its first unit × those of its second; 0 where they are not measured.
  Index num_of_frequencies() const {
    return frequencies_ == Frequencies::none ? 0 : pairs_.size() * numbers_of_unit() * numbers_of_unit();
  }
  /// The place of the first of them among all numbers.
  Index first_frequency() const { return num_of_units() + pairs_.size(); }
  /// num_of_units(), then one a pair, then the frequencies.
  Index size() const { return first_frequency() + num_of_frequencies(); }

  /// Adds `weight` times each number to `sums`; `units` is what tell_units says of a row.
  void add(std::span<const double> units, double weight, std::span<double> sums) const;

 private:
  void add_products(std::span<const double> units, double weight, std::span<double> sums) const;
  void add_frequencies(std::span<const double> units, double weight, std::span<double> sums) const;

  const LayerObservables& what_;
  std::vector<Pair> pairs_;
  std::vector<std::uint8_t> coupled_;
  bool all_;  ///< there are all pairs
  Frequencies frequencies_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
