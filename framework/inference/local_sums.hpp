#pragma once

#include <vector>

#include <harmonium/framework/diagnostics/series.hpp>
#include <harmonium/framework/inference/local_observables.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What chains at one temperature leave of LocalObservables: of each number its sum over each block of each chain, in the order of
/// time, the blocks being those of the jackknife. No series is kept.
class LocalSums {
 public:
  /// `what` must outlive it; there are two chains or more.
  LocalSums(const LocalObservables& what, Index num_chains, Index num_steps);
  static double bytes(const LocalObservables& what, Index num_chains, Index num_steps);

  /// What a chain's row is at a step, each once. Rows of different chains may be added at the same time.
  void add(Index chain, Index step, std::span<const Real> row);

  const LocalObservables& what() const { return *what_; }
  Index num_chains() const { return num_chains_; }
  Index num_steps() const { return num_steps_; }
  Index blocks_per_chain() const { return blocks_; }
  /// chain × block, in rows, of each number.
  Series of_blocks() const { return {sums_.data(), num_chains_ * blocks_, what_->size(), what_->size()}; }

 private:
  const LocalObservables* what_;
  Index num_chains_, num_steps_, blocks_;
  std::vector<double> units_;  ///< of each chain, where its row is told
  std::vector<double> sums_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
