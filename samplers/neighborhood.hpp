#pragma once

#include <vector>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// How much a neighbor is wanted that is t times as probable: both have g(t) = t g(1/t).
enum class Balance : std::uint8_t { sqrt, barker };

/// What the moves of all tiles share: which neighbors there are, and how they are wanted.
struct NeighborMoves {
  const Target& target;
  LayerSet kept;  ///< all others are summed out
  Balance balance;
  std::vector<LayerId> layers;  ///< that move
  std::vector<UnitStates> states;
  std::vector<Index> first;  ///< of each layer, where its neighbors begin; of all of them, last

  NeighborMoves(const Target& of, LayerSet kept_layers, LayerSet moving, Balance how);
  Index neighbors() const { return first.back(); }
};

/// Rows [begin, end) of the chains, and log g of each neighbor of each.
class Neighborhood {
 public:
  Neighborhood(const NeighborMoves& plan, ChainView x);

  /// Looks at all neighbors of all rows.
  void look();
  /// log Z of each row; −∞ of one without neighbors.
  const std::vector<double>& log_sums() const { return sums_; }
  /// Whether a row has neighbors.
  bool any(Index row) const;
  /// The neighbor that `uniform` picks.
  Index pick(Index row, double uniform) const;
  /// Makes row `row` its neighbor; returns the neighbor that leads back, or as many as there are where the unit was in no state of
  /// its own (a gray value of the data).
  Index go(Index row, Index neighbor);

 private:
  struct Place {
    Index layer, unit, state;  ///< the layer by its place in the plan
  };
  Place place(Index neighbor) const;
  void add_ratios(const EnergyModel& of, bool base);
  void leave_out(Index layer);

  const NeighborMoves& plan_;
  ChainView x_;
  Matrix<double> log_g_;
  std::vector<double> sums_, betas_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
