#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <harmonium/framework/kernels/kernels.hpp>
#include <harmonium/samplers/cluster_plan.hpp>

/// Moves of clusters of units. Internal to this folder.
namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Up to four rows that share blocks of random words, with memory that all their transitions use again.
///
/// A transition pairs the states of each unit, in each row anew where there are more than two; a unit may go from its state x to the
/// partner y of that. Given what does not move, ε = 1 (stay) and −1 (go) of the units are Ising spins:
///   J_ij = ¼ [t(x,x) + t(y,y) − t(x,y) − t(y,x)],   h_i = ½ [g(x) − g(y)] + ¼ Σ_j [t(x,x) + t(x,y) − t(y,x) − t(y,y)].
/// Pairs with J > 0 are bonded with probability 1 − exp(−2J), the others never (they do not agree), and the units of a cluster go
/// together, with probability 1/(1 + exp(2 Σ h)).
///
/// Where the plan recolors, units of the same state are bonded with probability 1 − exp(−w), and each cluster has a new state s with
/// probability ∝ exp(Σ g(s)) over its units. A unit that is held adds w to its own state in the g of those that it is coupled to.
class ClusterRows {
 public:
  /// Of a part, two of the first four: its bonds and its pairs with a table.
  enum ClusterDraw : std::uint32_t { pairs_draw = 0, turn_draw = 4, ghost_draw = 5, order_draw = 6, start_draw = 7 };

  explicit ClusterRows(const ClusterPlan& plan);

  /// `steps` transitions of the rows [begin, end) of `chains`, whose global numbers are of one block of four. Throws CapabilityError
  /// for a unit of several states that is held at none of them.
  void move(Chains& chains, Index begin, Index end, Index steps);

 private:
  static constexpr Index lanes = 4, words_at_once = 1024;

  struct Row {
    const ClusterPlan::AtBeta* at = nullptr;
    std::vector<std::uint32_t> state, partner;  ///< of each unit
    std::vector<double> spin;  ///< of units of two states; between −1 and 1 where one is held at a gray value
    std::vector<std::uint8_t> held, moving, goes;
    std::vector<std::uint32_t> parent;  ///< at most the unit's own number; itself at the root of a cluster
    std::vector<double> field, total;   ///< h, or g of each state; its sum over the cluster, at the root

    std::uint32_t find(std::uint32_t unit);
    void join(std::uint32_t a, std::uint32_t b);
  };

  void read(const Chains& chains, Index r, const DrawBlock& block, Index number);
  void write(Chains& chains, Index r, const Row& row) const;
  void step(const DrawBlock& block, Index count);
  void pair_states(Row& row, const DrawBlock& block, Index number);
  void begin(Row& row) const;
  void join_bonds(Row& row, Index part, Index first, Index count, const std::uint32_t* words) const;
  void join_pairs(Row& row, Index part, Index first, Index count, const std::uint32_t* words) const;
  void add_totals(Row& row, Index first, Index count, const std::uint32_t* words) const;
  void turn(Row& row, Index first, Index count, const std::uint32_t* words) const;
  void recolor(const DrawBlock& block, Index count);
  void join_alike(Row& row, Index part, Index first, Index count, const std::uint32_t* words) const;
  void add_totals_of_states(Row& row) const;
  void color(Row& row, Index first, Index count, const std::uint32_t* words) const;
  /// use(row, first, count, words) for the rows of the block and the sites of `draw`, in pieces.
  template <class Use>
  void with_words(const DrawBlock& block, Index count, std::uint32_t draw, Index sites, const Use& use) {
    const Index lane = block.first_chain % lanes;
    for (Index first = 0; first < sites; first += words_at_once) {
      const Index n = std::min(words_at_once, sites - first);
      kernels().words(block, block.first_chain / lanes, static_cast<std::uint32_t>(first), draw, n, words_.data());
      for (Index k = 0; k < count; ++k) use(rows_[k], first, n, &words_[(lane + k) * n]);
    }
  }

  const ClusterPlan& plan_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> words_, order_, partners_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
