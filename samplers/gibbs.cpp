#include <harmonium/samplers/gibbs.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <xtensor/xmath.hpp>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/model/tiling.hpp>
#include <harmonium/samplers/blocks.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The blocks from `first` on that are of its layer.
std::span<const Block* const> blocks_of_layer(const std::vector<const Block*>& blocks, Index first) {
  Index end = first;
  while (end < blocks.size() && blocks[end]->layer == blocks[first]->layer) ++end;
  return std::span(blocks).subspan(first, end - first);
}

/// Which block each visit of a step is of. In a systematic scan the blocks of a layer that the model's own kernel draws
/// in order are one visit, as of the whole layer.
class Visits {
 public:
  Visits(const BlockMoves& moves, Scan scan, std::uint64_t start)
      : moves_(moves), in_turn_(scan != Scan::random), start_(start) {
    if (in_turn_) {
      find_turns();
      return;
    }
    // A block may be visited twice in a step: each visit has words of its own.
    for (Index visit = 0; visit < number(); ++visit)
      sources_.push_back(moves.random.child("visit" + std::to_string(visit)));
    order_ = moves.random.child("scan");
  }
  Index number() const { return in_turn_ ? turns_.size() : moves_.blocks.size(); }
  const Block& block(Index step, Index visit) const {
    if (in_turn_) return turns_[visit];
    const DrawBlock words = DrawBlock::of(order_, 0, start_ + step, LayerId{0});
    const std::uint64_t word = words.word(0, static_cast<std::uint32_t>(visit));
    return *moves_.blocks[word * number() >> 32];
  }
  RandomSource source(Index visit) const { return in_turn_ ? moves_.random : sources_[visit]; }

 private:
  void find_turns() {
    const LayerKernel* kernel = moves_.target.model.layer_kernel();
    for (Index i = 0; i < moves_.blocks.size();) {
      const Block& block = *moves_.blocks[i];
      const Layer& layer = moves_.layout()[block.layer];
      const std::span<const Block* const> all = blocks_of_layer(moves_.blocks, i);
      const bool at_once = kernel && !moves_.mixed() && kernel->draws(block.layer) && kernel->follows(block.layer, all);
      turns_.push_back(at_once ? Block{block.layer, {}, layer.size} : block);
      i += at_once ? all.size() : 1;
    }
  }

  const BlockMoves& moves_;
  bool in_turn_;  ///< not at random
  std::uint64_t start_;
  std::vector<Block> turns_;
  RandomSource order_;
  std::vector<RandomSource> sources_;
};

/// The first of the last visits of `step` that are of whole layers independent of each other given the rest: those
/// whose means can be left behind.
Index first_of_last(const BlockMoves& moves, const Visits& visits, Index step) {
  const BlockConditionals& conditionals = *moves.target.model.block_conditionals();
  Index first = visits.number();
  LayerSet free;
  while (first > 0 && visits.block(step, first - 1).whole()) {
    LayerSet wider = free;
    wider.add(visits.block(step, first - 1).layer);
    if (!conditionals.independent(wider, moves.layout().all() - wider)) break;
    free = wider;
    --first;
  }
  return first;
}

/// What the last visits of a call leave (LastMeans).
class Leavings {
 public:
  Leavings(const BlockMoves& moves, const Visits& visits, Index steps, LastMeans* last)
      : last_(steps > 0 ? last : nullptr), last_step_(steps - 1), rows_(moves.chains.size()) {
    if (!last_) return;
    first_ = first_of_last(moves, visits, last_step_);
    LayerSet drawn;
    bool by_kernel = first_ < visits.number();
    for (Index visit = first_; visit < visits.number(); ++visit) {
      const Block& block = visits.block(last_step_, visit);
      if (!wanted(last_->mean, block.layer).empty()) last_->filled.add(block.layer);
      by_kernel =
          by_kernel && kernel_for(moves, block) && !drawn.contains(block.layer);  // a random scan may come twice
      drawn.add(block.layer);
      panels_ = std::max(panels_, block.size / Tiling::panel(block.size) + 1);
    }
    if (last_->products.empty() || !by_kernel || !moves.target.model.layer_kernel()->energy_follows(drawn)) return;
    last_->multiplied = drawn;
    products_.assign(panels_ * rows_, 0.0);
  }
  /// For the units of a block from `begin` on.
  LeftByDraw of(Index visit, const Block& block, ConstChainView x, Index begin, Index step) {
    if (!last_ || step != last_step_ || visit < first_) return {};
    LeftByDraw left{.states = last_->states};
    if (const MatrixRef all = wanted(last_->mean, block.layer); !all.empty()) left.mean = all.slice(x.begin, x.end);
    if (const MatrixRef all = wanted(last_->second, block.layer); !all.empty()) left.second = all.slice(x.begin, x.end);
    const Index panel = begin / Tiling::panel(block.size);
    if (!products_.empty()) left.products = std::span(products_).subspan(panel * rows_ + x.begin, x.rows());
    return left;
  }
  /// Panels of units are drawn side by side: what each of them comes to is added up here.
  void add_up() const {
    if (products_.empty()) return;
    const MatrixView<const double> of_panels{products_.data(), panels_, rows_, rows_};
    in_place(last_->products) = xt::sum(as_xtensor(of_panels), {0});
  }

 private:
  static MatrixRef wanted(const PerLayer<MatrixRef>& of, LayerId layer) { return of.empty() ? MatrixRef{} : of[layer]; }

  LastMeans* last_;
  Index first_ = 0, last_step_, rows_, panels_ = 1;
  std::vector<double> products_;  ///< panels × rows
};

}  // namespace

void GibbsOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<Scan> scans[] = {
      {"systematic", Scan::systematic}, {"random", Scan::random}, {"backward", Scan::backward}};
  bind_tile(o, tile);
  o.choice("scan", scan, scans,
           "each block once a step, in order (backward: in the opposite one), or as many blocks drawn at random");
}

std::unique_ptr<Sampler> Gibbs::reversal() const {
  if (options_.scan == Scan::random) return nullptr;  // not of one sequence, which all chains share
  GibbsOptions other = options_;
  other.scan = options_.scan == Scan::systematic ? Scan::backward : Scan::systematic;
  return std::make_unique<Gibbs>(other);
}

void Gibbs::check(const Target& target) const {
  check_block_conditionals(target, "gibbs", "which Gibbs sampling draws from");
}

SamplerReport Gibbs::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                             LastMeans* last) {
  const std::uint64_t start = chains.step();
  BlockMoves moves(target, chains, execution.random, target.model.layout().all());
  if (options_.scan == Scan::backward) {
    moves.backward = true;
    std::ranges::reverse(moves.blocks);
  }
  const Visits visits(moves, options_.scan, start);
  Leavings leavings(moves, visits, steps, last);
  for_each_visit(
      moves, options_.tile, steps, visits.number(), execution.executor,
      [&](Index step, Index visit) -> const Block& { return visits.block(step, visit); },
      [&](const Block& block) { return may_be_cut(moves, block); },
      [&](Index visit, const Block& block, ChainView x, Index begin, Index end, Index step) {
        redraw_block(moves, block, x, begin, end, visits.source(visit), start + step,
                     leavings.of(visit, block, x, begin, step));
      });
  leavings.add_up();
  chains.set_step(start + steps);
  return {};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
