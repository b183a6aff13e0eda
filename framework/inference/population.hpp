#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/model/chains.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// How many copies each row of a population of n is given, n in all, by its weight: systematic resampling (Kitagawa 1996),
/// `uniform` in (0, 1). Row i has ⌊n p_i⌋ or ⌈n p_i⌉ copies, n p_i on average, p_i ∝ e^log_weights[i]. Returns the row that
/// each of the n takes after, ascending. Throws NumericalError for a weight that is no number.
std::vector<std::uint32_t> systematic_resampling(std::span<const double> log_weights, double uniform);

/// Several populations of equal size, one beside the other in the rows of one batch, as population annealing moves them down
/// in temperature (Hukushima & Iba 2003; Machta 2010). Each row knows its family: the row that it descends from.
class Populations {
 public:
  /// `rows`: a multiple of `count`.
  Populations(Index count, Index rows);

  Index count() const { return count_; }
  Index size() const { return families_.size() / count_; }

  /// The share of all rows that are expected to be left without a copy where rows have weights e^(step · d_i):
  /// the mean over populations of Σ_i max(0, p_i⁻ − p_i), p⁻ = 1 / size.
  double culled(std::span<const double> d, double step) const;
  /// Resamples every population by the weights e^(step · d_i), with the uniform numbers `uniforms`, one each, and adds the log of the
  /// mean weight of each to `log_ratios`.
  void resample(std::span<const double> d, double step, std::span<const double> uniforms, const Layout& layout,
                Chains& chains, const Executor& executor);
  /// log(Z now / Z at first) by each population.
  std::span<const double> log_ratios() const { return log_ratios_; }

  /// The mean square family size ρ = size · Σ_f s_f², s_f being the share of the rows that are of family f, of each
  /// population: its error is that of some size / ρ independent rows (Wang, Machta & Katzgraber 2015).
  std::vector<double> mean_square_families() const;
  /// How many families have one of the rows that are marked.
  Index families_of(std::span<const std::uint8_t> marked) const;

 private:
  std::span<const double> of(std::span<const double> all, Index p) const { return all.subspan(p * size(), size()); }

  Index count_;
  std::vector<std::uint32_t> families_;  ///< of each row, numbered over all populations
  std::vector<double> log_ratios_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
