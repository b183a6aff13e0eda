#pragma once

#include <vector>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/samplers/blocks.hpp>
#include <harmonium/samplers/langevin.hpp>

/// The moves of the continuous layers of one tile of chains. Internal to this folder.
namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What every task of one call shares.
struct LangevinMoves {
  const BlockMoves& blocks;  ///< of the discrete layers
  const LangevinOptions& options;
  LayerSet moving;                     ///< continuous layers that are not held
  std::vector<double> betas;           ///< of each row
  std::vector<RandomSource> of_inner;  ///< words of each inner step

  const Target& target() const { return blocks.target; }
  const Layout& layout() const { return blocks.layout(); }
  std::uint32_t chain(Index row) const { return static_cast<std::uint32_t>(blocks.chains.first_chain() + row); }
};

/// U and ∇U of a tile, the latter for the moving layers side by side.
class LangevinPotential {
 public:
  LangevinPotential(const LangevinMoves& moves, Index first_row, Index rows);

  Index columns() const { return buffer_.shape(1); }
  void energy(ConstChainView x, std::span<double> out);
  /// out: rows × columns().
  void gradient(ConstChainView x, Matrix<double>& out);

 private:
  double beta(Index row) const { return moves_.betas[first_row_ + row]; }
  void evaluate(const StateGradient& gradient, ConstChainView x);

  const LangevinMoves& moves_;
  Index first_row_;
  PerLayer<Index> first_;  ///< column of each moving layer
  Matrix<Real> buffer_;
};

class LangevinTile {
 public:
  LangevinTile(const LangevinMoves& moves, ChainView x);

  /// All inner steps of one step; returns how many moves were accepted.
  std::uint64_t advance(std::uint64_t step);

 private:
  MatrixView<const std::uint8_t> held(LayerId layer) const;
  /// Writes x − ε ∇U + √(2ε) ξ to `to`, which may be x itself.
  void propose(RandomSource source, std::uint64_t step, ChainView to);
  /// Adds log q(x | x') − log q(x' | x) of one layer to the rows' ratios, and notes who has left the domain.
  void add_proposal_ratio(LayerId l);
  std::uint64_t accept(RandomSource source, std::uint64_t step);

  const LangevinMoves& moves_;
  ChainView x_;
  PerLayer<Index> first_;  ///< column of each moving layer
  LangevinPotential potential_;
  Chains proposal_;
  Matrix<double> drift_, proposal_drift_;
  Vector<double> energy_, proposal_energy_, log_ratio_;
  std::vector<std::uint8_t> inside_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
