// A plugin: units on a ring that see their two neighbors, and a sampler that flips stretches of units.
#include <algorithm>
#include <atomic>

#include <harmonium/framework/inference/acceptance.hpp>
#include <harmonium/framework/model/model_base.hpp>
#include <harmonium/framework/plugin/plugin.hpp>

using namespace harmonium;

namespace {

/// E(x) = −b Σ_i x_i − J Σ_i x_i x_{i+1}, on a ring of units of one column and no curvature.
class Ring final : public ObservedModel, private BlockConditionals {
 public:
  struct Options {
    Index size = 10;
    std::unique_ptr<UnitType> unit;
    void bind(OptionBinder& o) {
      o.option("size", size, "units on the ring, an even number", at_least(4));
      o.component("unit", unit, "what the units are", "binary");
    }
    void validate() const {
      if (size % 2 != 0) throw ConfigError("'size' must be even: every second unit is drawn at once. Take one more.");
      if (unit->width() != 1 || unit->has_curvature())
        throw ConfigError("units of several columns or with a curvature have no such energy. Take \"binary\".");
    }
  };

  explicit Ring(Options options)
      : ObservedModel(Layout({{"ring", options.size, std::move(options.unit), Role::observed}}),
                      {{.name = "bias", .rows = 1}, {.name = "coupling", .rows = 1}}),
        blocks_(2) {
    for (Index i = 0; i < options.size; ++i) blocks_[i % 2].units.push_back(i);
    for (Block& block : blocks_) block.size = block.units.size();
  }

  void energy(ConstChainView x, std::span<double> out) const override {
    for (Index r = 0; r < x.rows(); ++r) {
      const Sums s = sums(x, r);
      out[r] = -static_cast<double>(b()) * s.units - static_cast<double>(j()) * s.pairs;
    }
  }
  void add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor&) const override {
    for (Index r = 0; r < x.rows(); ++r) {
      const Sums s = sums(x, r);
      gradient[0] -= static_cast<Real>(weights[r] * s.units);
      gradient[1] -= static_cast<Real>(weights[r] * s.pairs);
    }
  }

  // Even units are independent of each other given the odd ones, and the reverse: enough for Gibbs sampling.
  const BlockConditionals* block_conditionals() const override { return this; }
  const std::vector<Block>& blocks() const override { return blocks_; }
  void fields(const Block& block, Index begin, Index end, ConstChainView x, const Fields& out) const override {
    const ConstMatrixRef v = x[ring];
    for (Index r = 0; r < x.rows(); ++r) {
      for (Index k = begin; k < end; ++k) {
        const Index i = block.units[k], left = (i + v.cols - 1) % v.cols, right = (i + 1) % v.cols;
        out.linear(r, k - begin) = b() + j() * (v(r, left) + v(r, right));
      }
    }
  }
  bool independent(LayerSet free, LayerSet) const override { return free.empty(); }

 private:
  static constexpr LayerId ring{0};
  Real b() const { return parameters()[0]; }
  Real j() const { return parameters()[1]; }
  double energy_operations() const override { return 3.0 * static_cast<double>(layout()[ring].size); }
  struct Sums {
    double units = 0.0, pairs = 0.0;
  };
  Sums sums(ConstChainView x, Index r) const {
    const ConstMatrixRef v = x[ring];
    Sums s;
    for (Index i = 0; i < v.cols; ++i) {
      s.units += static_cast<double>(v(r, i));
      s.pairs += static_cast<double>(v(r, i)) * static_cast<double>(v(r, (i + 1) % v.cols));
    }
    return s;
  }

  std::vector<Block> blocks_;
};

/// Metropolis: flips a stretch of 1 … `longest` units of a layer, as many times as there are units in a transition. Where
/// it begins and how long it is do not depend on the state, so that a flip is as likely as its reverse. In its first
/// transitions it makes `longest` such that about half of what it proposes is accepted.
class SegmentFlips final : public Sampler {
 public:
  struct Options {
    Index longest = 4, adapt_steps = 20;
    void bind(OptionBinder& o) {
      o.option("longest", longest, "units of the longest stretch, at first", at_least(1));
      o.option("adapt_steps", adapt_steps, "transitions during which that is adapted", at_least(0));
    }
  };
  explicit SegmentFlips(Options options) : options_(options), longest_(options.longest) {}

  Index adaptation_steps() const override { return options_.adapt_steps; }

  void check(const Target& target) const override {
    if (target.base) throw CapabilityError("sampler 'segment_flips': it knows no base. Try 'gibbs'.");
    for (const Layer& layer : target.model.layout().layers())
      if (layer.unit->num_states() != 2 || layer.unit->width() != 1)
        throw CapabilityError("sampler 'segment_flips': units of '" + layer.name +
                              "' do not have two states. Try 'gibbs' or 'metropolis'.");
  }

  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans*) override {
    double rates = 0.0;
    for (Index step = 0; step < steps; ++step) {
      const double rate = transition(target, chains, execution);
      rates += rate;
      if (made_ < options_.adapt_steps) longest_ = rate > 0.5 ? longest_ + 1 : std::max<std::uint64_t>(longest_ - 1, 1);
      ++made_;
    }
    return {steps > 0 ? rates / static_cast<double>(steps) : 1.0};
  }

  // What a checkpoint must keep for a run that goes on to be the same.
  void state(StateArchive& archive) override {
    archive.field("longest", longest_);
    archive.field("made", made_);
  }

 private:
  /// One transition of all chains; returns the share of flips that were accepted.
  double transition(const Target& target, Chains& chains, const Execution& execution) const {
    const Layout& layout = target.model.layout();
    std::atomic<std::uint64_t> accepted = 0, proposed = 0;
    for (const LayerId l : layout.ids()) chains.write(l);  // each as Real, before threads ask for it
    execution.executor.for_each_piece(chains.size(), 64, [&](Index begin, Index end) {
      const ChainView x(chains, begin, end);
      std::vector<double> before(x.rows()), after(x.rows());
      target.model.energy(x, before);
      for (const LayerId l : layout.ids()) {
        if (target.held_layers().contains(l)) continue;
        const MatrixRef v = x[l];
        const auto held = target.held ? target.held->units(l, begin, end) : MatrixView<const std::uint8_t>{};
        Real states[2];
        layout[l].unit->states({states, 2, 1, 1});
        // Words are addressed: by the chain, the transition, the layer, and here the number of the proposal.
        const DrawBlock addresses =
            DrawBlock::of(execution.random, chains.first_chain() + static_cast<std::uint32_t>(begin), chains.step(), l);
        const auto flip = [&](Index r, std::uint32_t proposal) {
          const auto pick = [&](std::uint32_t draw, std::uint64_t n) {
            const double u = uniform_f64(addresses.word(r, proposal, draw));
            return std::min(static_cast<std::uint64_t>(u * static_cast<double>(n)), n - 1);
          };
          const Index first = pick(0, v.cols), length = 1 + pick(1, std::min<std::uint64_t>(longest_, v.cols));
          for (Index k = 0; k < length; ++k)
            if (const Index i = (first + k) % v.cols; held.empty() || !held(r, i))
              v(r, i) = states[0] + states[1] - v(r, i);
        };
        for (std::uint32_t proposal = 0; proposal < v.cols; ++proposal) {
          for (Index r = 0; r < v.rows; ++r) flip(r, proposal);
          target.model.energy(x, after);
          for (Index r = 0; r < v.rows; ++r) {
            const double beta = target.beta_of(chains.rung()[begin + r]);
            const double u = uniform_f64(addresses.word(r, proposal, 2));
            if (accepts(beta * (before[r] - after[r]), u)) {
              before[r] = after[r];
              ++accepted;
            } else {
              flip(r, proposal);  // back
            }
          }
          proposed += v.rows;
        }
      }
    });
    chains.set_step(chains.step() + 1);
    return proposed > 0 ? static_cast<double>(accepted) / static_cast<double>(proposed) : 1.0;
  }

  Options options_;
  std::uint64_t longest_, made_ = 0;
};

void enroll(Registries& registries) {
  registries.of<EnergyModel>().add<Ring>("ring", "units on a ring, each coupled to its two neighbors");
  registries.of<Sampler>().add<SegmentFlips>("segment_flips", "flips stretches of units of two states (Metropolis)");
}

}  // namespace

HARMONIUM_PLUGIN("ring", "0.1.0", "a ring of units, and a sampler for it", enroll);
