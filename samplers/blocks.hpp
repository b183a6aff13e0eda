#pragma once

#include <atomic>
#include <string_view>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/framework/model/tiling.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

/// What the samplers that move blocks of units have in common. Internal to this folder.
namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The option `tile`, which every sampler that works on tiles of chains has.
void bind_tile(OptionBinder& o, Index& tile);

/// Throws CapabilityError, in the name of `sampler`, where the model is a stack of machines: what draws from these is 'top_down'.
void check_no_stack(const Target& target, std::string_view sampler);

/// Throws CapabilityError, in the name of `sampler`, where the model or the base offers no block conditionals.
/// `purpose` ends the sentence: "which Gibbs sampling draws from".
void check_block_conditionals(const Target& target, std::string_view sampler, std::string_view purpose);

/// What every task of one call shares: the target, the β of each row, and the blocks that are not wholly held.
struct BlockMoves {
  /// Blocks of the layers of `layers` only. Makes all layers current as Real, before threads ask for them.
  BlockMoves(const Target& t, Chains& c, RandomSource words, LayerSet layers);

  const Layout& layout() const { return target.model.layout(); }
  bool mixed() const { return target.base && !target.untempered(); }
  /// The words of `source` for the first row of x and the first unit of the block's layer.
  DrawBlock addresses(RandomSource source, const Block& block, ConstChainView x, std::uint64_t step) const;

  const Target& target;
  Chains& chains;
  RandomSource random;
  std::vector<Real> betas;           ///< of each row; empty: all 1
  std::vector<const Block*> blocks;  ///< in order
  bool backward = false;             ///< the order is from the last to the first
};

/// The fields of the units [begin, end) of a block given the rest of x, in the target: the model's, or these mixed with
/// the base's. The temperature stands in `scale` where it is not mixed in.
class BlockFields {
 public:
  BlockFields(const BlockMoves& moves, const Block& block, Index begin, Index end, ConstChainView x);
  const Fields& operator*() const { return fields_; }

 private:
  UnitBuffer buffer_;
  Fields fields_;
};

/// What a draw leaves beside the states, as LayerKernel::Draw has it.
struct LeftByDraw {
  MatrixRef mean = {}, second = {};  ///< rows of the tile × columns of the layer; empty: not wanted
  std::span<double> products = {};   ///< wanted of a model's own kernel alone
  bool states = true;                ///< false: only the moments are wanted; a kernel may leave the states as they are
};

/// Draws the units [begin, end) of a block from their exact conditional by the words of `source`.
void redraw_block(const BlockMoves& moves, const Block& block, ChainView x, Index begin, Index end, RandomSource source,
                  std::uint64_t step, const LeftByDraw& left = {});

/// The model's own kernel, where it draws the block in the target; null: it does not.
const LayerKernel* kernel_for(const BlockMoves& moves, const Block& block);

/// Whether redraw_block may be called for pieces of the block side by side.
bool may_be_cut(const BlockMoves& moves, const Block& block);

/// Adds the fields of a block, for a tile.
void add_block_memory(const EnergyModel& model, Index tile, MemoryNeed& need);

/// update(visit, block, x, begin, end, step) for each step and for each visit of it in order: `block_of(step, visit)`
/// says which block that is of. Steps are counted from 0. Many chains: a task takes a tile through all its steps, without
/// a barrier. Few: the units of a block that `cut` allows are shared out instead, or strips of the chains where a whole
/// layer cannot be cut.
template <class BlockOf, class Cut, class Update>
void for_each_visit(const BlockMoves& moves, Index tile, Index steps, Index visits, const Executor& executor,
                    const BlockOf& block_of, const Cut& cut, const Update& update) {
  Chains& chains = moves.chains;
  const Tiling tiling = Tiling::of(chains.size(), tile);
  if (tiling.one_tile(chains.size())) {
    const ChainView x(chains, 0, chains.size());
    for (Index s = 0; s < steps; ++s) {
      for (Index visit = 0; visit < visits; ++visit) {
        const Block& block = block_of(s, visit);
        if (block.whole() && !cut(block)) {
          executor.for_each_piece(chains.size(), Tiling::strip, [&](Index begin, Index end) {
            update(visit, block, ChainView(chains, begin, end), 0, block.size, s);
          });
          continue;
        }
        executor.for_each_piece(block.size, cut(block) ? Tiling::panel(block.size) : block.size,
                                [&](Index begin, Index end) { update(visit, block, x, begin, end, s); });
      }
    }
    return;
  }
  executor.for_each_piece(chains.size(), tiling.rows, [&](Index begin, Index end) {
    const ChainView x(chains, begin, end);
    for (Index s = 0; s < steps; ++s) {
      for (Index visit = 0; visit < visits; ++visit) {
        const Block& block = block_of(s, visit);
        update(visit, block, x, 0, block.size, s);
      }
    }
  });
}

/// Counts proposals from several threads; whole numbers, so that their order is of no account.
class AcceptanceCount {
 public:
  void add(std::uint64_t proposed, std::uint64_t accepted) {
    proposed_.fetch_add(proposed, std::memory_order_relaxed);
    accepted_.fetch_add(accepted, std::memory_order_relaxed);
  }
  bool any() const { return proposed_.load() > 0; }
  /// Of an acceptance of 1 where nothing was proposed.
  SamplerReport report(double min_acceptance) const {
    const std::uint64_t proposed = proposed_.load();
    SamplerReport report;
    if (proposed > 0) report.acceptance = static_cast<double>(accepted_.load()) / static_cast<double>(proposed);
    report.proposed = proposed;
    report.min_acceptance = min_acceptance;
    return report;
  }

 private:
  std::atomic<std::uint64_t> proposed_{0}, accepted_{0};
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
