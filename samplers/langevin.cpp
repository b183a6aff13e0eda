#include <harmonium/samplers/langevin.hpp>

#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/acceptance.hpp>
#include <harmonium/framework/inference/finite_chains.hpp>
#include <harmonium/framework/kernels/normal.hpp>
#include <harmonium/samplers/blocks.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr std::uint32_t acceptance_draw = 2;  // of the first moving layer's site 0, whose normal number takes 0 and 1

bool continuous(const Layer& layer) { return layer.unit->num_states() == 0; }

LayerSet discrete_layers(const Layout& layout) {
  LayerSet set;
  for (const LayerId l : layout.ids())
    if (!continuous(layout[l])) set.add(l);
  return set;
}

/// What every task of one call shares.
struct Dynamics {
  const BlockMoves& blocks;  ///< of the discrete layers
  const LangevinOptions& options;
  std::vector<LayerId> moving;         ///< continuous layers that are not held
  std::vector<double> betas;           ///< of each row
  std::vector<RandomSource> of_inner;  ///< words of each inner step

  const Target& target() const { return blocks.target; }
  const Layout& layout() const { return blocks.layout(); }
  std::uint32_t chain(Index row) const { return static_cast<std::uint32_t>(blocks.chains.first_chain() + row); }
};

/// U and ∇U of a tile, the latter for the moving layers side by side.
class Potential {
 public:
  Potential(const Dynamics& dynamics, Index first_row, Index rows)
      : dynamics_(dynamics), first_row_(first_row), rows_(rows) {
    for (const LayerId l : dynamics.moving) columns_ += dynamics.layout()[l].columns();
    buffer_.resize(rows * columns_);
    energies_.resize(rows);
  }
  Index columns() const { return columns_; }

  void energy(ConstChainView x, std::span<double> out) {
    const Target& target = dynamics_.target();
    target.model.energy(x, out);
    for (Index r = 0; r < rows_; ++r) out[r] *= beta(r);
    if (!dynamics_.blocks.mixed()) return;
    target.base->energy(x, energies_);
    for (Index r = 0; r < rows_; ++r) out[r] += (1.0 - beta(r)) * energies_[r];
  }
  /// out: rows × columns().
  void gradient(ConstChainView x, std::span<double> out) {
    const Target& target = dynamics_.target();
    evaluate(*target.model.state_gradient(), x);
    for (Index i = 0; i < out.size(); ++i) out[i] = beta(i / columns_) * static_cast<double>(buffer_[i]);
    if (!dynamics_.blocks.mixed()) return;
    evaluate(*target.base->state_gradient(), x);
    for (Index i = 0; i < out.size(); ++i) out[i] += (1.0 - beta(i / columns_)) * static_cast<double>(buffer_[i]);
  }

 private:
  double beta(Index row) const { return dynamics_.betas[first_row_ + row]; }
  void evaluate(const StateGradient& gradient, ConstChainView x) {
    std::vector<MatrixRef> out(dynamics_.layout().size());
    Index at = 0;
    for (const LayerId l : dynamics_.moving) {
      const Index columns = dynamics_.layout()[l].columns();
      out[static_cast<Index>(l)] = {buffer_.data() + at, rows_, columns, columns_};
      at += columns;
    }
    gradient.evaluate(x, out);
  }

  const Dynamics& dynamics_;
  Index first_row_, rows_, columns_ = 0;
  std::vector<Real> buffer_;
  std::vector<double> energies_;
};

/// The continuous layers of one tile.
class Tile {
 public:
  Tile(const Dynamics& dynamics, ChainView x)
      : dynamics_(dynamics),
        x_(x),
        rows_(x.rows()),
        potential_(dynamics, x.begin, x.rows()),
        drift_(rows_ * potential_.columns()) {
    if (!dynamics.options.adjusted) return;
    proposal_ = Chains(dynamics.layout(), rows_);
    proposal_drift_.resize(drift_.size());
    energy_.resize(rows_);
    proposal_energy_.resize(rows_);
    log_ratio_.resize(rows_);
    inside_.resize(rows_);
  }

  /// All inner steps of one step; returns how many moves were accepted.
  std::uint64_t advance(std::uint64_t step) {
    const LangevinOptions& options = dynamics_.options;
    std::uint64_t accepted = 0;
    if (options.adjusted) copy_to_proposal();
    for (Index inner = 0; inner < options.inner_steps; ++inner) {
      const RandomSource source = dynamics_.of_inner[inner];
      if (!options.adjusted) {
        potential_.gradient(x_, drift_);
        propose(source, step, x_);
        continue;
      }
      if (inner == 0) {
        potential_.energy(x_, energy_);
        check_energies(energy_, x_);
        potential_.gradient(x_, drift_);
      }
      const ChainView proposal(proposal_, 0, rows_);
      propose(source, step, proposal);
      potential_.energy(proposal, proposal_energy_);
      potential_.gradient(proposal, proposal_drift_);
      accepted += accept(source, step);
    }
    return accepted;
  }

 private:
  MatrixView<const std::uint8_t> held(LayerId layer) const {
    const HeldMask* mask = dynamics_.target().held;
    return mask ? mask->units(layer, x_.begin, x_.end) : MatrixView<const std::uint8_t>{};
  }

  void copy_to_proposal() {
    for (const LayerId l : dynamics_.layout().ids()) {
      const ConstMatrixRef from = ConstChainView(x_)[l];
      std::copy_n(from.data, from.rows * from.cols, proposal_.write(l).data);
    }
  }

  /// Writes x − ε ∇U + √(2ε) ξ to `to`, which may be x itself.
  void propose(RandomSource source, std::uint64_t step, ChainView to) {
    const double epsilon = dynamics_.options.step_size, noise = std::sqrt(2.0 * epsilon);
    Index first = 0;
    for (const LayerId l : dynamics_.moving) {
      const Layer& layer = dynamics_.layout()[l];
      const Index columns = layer.columns(), width = layer.unit->width();
      const ConstMatrixRef from = ConstChainView(x_)[l];
      const MatrixRef out = to[l];
      const auto fixed = held(l);
      NormalDraws normal(DrawBlock::of(source, dynamics_.chain(x_.begin), step, l), columns);
      for (Index r = 0; r < rows_; ++r) {
        const std::span<const double> z = normal.row(r);
        const double* const drift = &drift_[r * potential_.columns() + first];
        for (Index c = 0; c < columns; ++c) {
          const bool stays = !fixed.empty() && fixed(r, c / width);
          out(r, c) = stays ? from(r, c)
                            : static_cast<Real>(static_cast<double>(from(r, c)) - epsilon * drift[c] + noise * z[c]);
        }
      }
      first += columns;
    }
  }

  /// Adds log q(x | x') − log q(x' | x) of one layer to the rows' ratios, and notes who has left the domain.
  void add_proposal_ratio(LayerId l, Index first) {
    const Layer& layer = dynamics_.layout()[l];
    const double epsilon = dynamics_.options.step_size;
    const double least = layer.unit->least(), greatest = layer.unit->greatest();
    const ConstMatrixRef from = ConstChainView(x_)[l], to = proposal_.read(l);
    const auto fixed = held(l);
    for (Index r = 0; r < rows_; ++r) {
      const Index at = r * potential_.columns() + first;
      double sum = 0.0;
      bool inside = true;
      for (Index c = 0; c < from.cols; ++c) {
        if (!fixed.empty() && fixed(r, c / layer.unit->width())) continue;
        const auto y = static_cast<double>(to(r, c));
        const double move = y - static_cast<double>(from(r, c));
        const double there = move + epsilon * drift_[at + c], back = epsilon * proposal_drift_[at + c] - move;
        sum += there * there - back * back;
        inside = inside && y >= least && y <= greatest;
      }
      log_ratio_[r] += sum / (4.0 * epsilon);
      if (!inside) inside_[r] = 0;
    }
  }

  std::uint64_t accept(RandomSource source, std::uint64_t step) {
    for (Index r = 0; r < rows_; ++r) log_ratio_[r] = energy_[r] - proposal_energy_[r];
    std::fill(inside_.begin(), inside_.end(), std::uint8_t{1});
    Index first = 0;
    for (const LayerId l : dynamics_.moving) {
      add_proposal_ratio(l, first);
      first += dynamics_.layout()[l].columns();
    }
    const DrawBlock words = DrawBlock::of(source, dynamics_.chain(x_.begin), step, dynamics_.moving.front());
    std::uint64_t accepted = 0;
    for (Index r = 0; r < rows_; ++r) {
      if (!inside_[r] || !accepts(log_ratio_[r], uniform_f64(words.word(r, 0, acceptance_draw)))) continue;
      ++accepted;
      for (const LayerId l : dynamics_.moving) {
        const ConstMatrixRef from = proposal_.read(l);
        std::copy_n(from.row(r), from.cols, x_[l].row(r));
      }
      energy_[r] = proposal_energy_[r];
      const Index at = r * potential_.columns();
      std::copy_n(&proposal_drift_[at], potential_.columns(), &drift_[at]);
    }
    return accepted;
  }

  const Dynamics& dynamics_;
  ChainView x_;
  Index rows_;
  Potential potential_;
  Chains proposal_;
  std::vector<double> drift_, proposal_drift_, energy_, proposal_energy_, log_ratio_;
  std::vector<std::uint8_t> inside_;
};

}  // namespace

void LangevinOptions::bind(OptionBinder& o) {
  o.option("step_size", step_size, "step of the discretised diffusion, in squared units of the continuous layers",
           more_than(0));
  o.option("inner_steps", inner_steps, "Langevin steps before the discrete layers are redrawn", at_least(1));
  o.option("adjusted", adjusted,
           "accept or refuse each Langevin step, so that the target is invariant; without it draws are biased");
  bind_tile(o, tile);
}

void Langevin::check(const Target& target) const {
  const Layout& layout = target.model.layout();
  bool any_continuous = false, any_discrete = false;
  for (const Layer& layer : layout.layers()) {
    (continuous(layer) ? any_continuous : any_discrete) = true;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (options_.adjusted || !continuous(layer)) continue;
    if (layer.unit->least() > -infinity || layer.unit->greatest() < infinity)
      throw CapabilityError(
          fmt::format("sampler 'langevin': a unit of layer '{}' is a number {}, which steps that are not adjusted "
                      "leave. Set adjusted = true.",
                      layer.name, layer.unit->domain()));
  }
  if (!any_continuous)
    throw CapabilityError(
        "sampler 'langevin': no layer of the model is continuous, so that its energy has no slope. Try 'gibbs', "
        "'flip_the_state' or 'metropolis'.");
  if (!target.model.state_gradient())
    throw CapabilityError(
        "sampler 'langevin': the model offers no gradient of its energy by the state. Try 'gibbs' or 'metropolis'.");
  if (target.base && !target.base->state_gradient())
    throw CapabilityError("sampler 'langevin': the base distribution offers no gradient of its energy by the state.");
  if (any_discrete) check_block_conditionals(target, "langevin", "which its discrete layers are drawn from");
}

double Langevin::products_per_step() const {
  const auto inner = static_cast<double>(options_.inner_steps);
  // Adjusted, each proposal takes an energy and a gradient, and the start of a step does too.
  return 1.0 + (options_.adjusted ? 2.0 * (inner + 1.0) : inner);
}

void Langevin::memory(const EnergyModel& model, MemoryNeed& need) const {
  add_block_memory(model, options_.tile, need);
  const Layout& layout = model.layout();
  double moving = 0.0;
  for (const Layer& layer : layout.layers())
    if (continuous(layer)) moving += static_cast<double>(layer.columns());
  const double rows = options_.tile > 0 ? static_cast<double>(options_.tile) : 256.0;
  const double proposal = options_.adjusted ? static_cast<double>(layout.columns(layout.all())) * sizeof(Real) : 0.0;
  const double slopes = moving * (sizeof(Real) + (options_.adjusted ? 2.0 : 1.0) * sizeof(double));
  need.add_passing("the proposals and their slopes, for a tile", rows * (proposal + slopes), "the sampler's tile");
}

SamplerReport Langevin::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                LastMeans*) {
  const Layout& layout = target.model.layout();
  const BlockMoves blocks(target, chains, execution.random, discrete_layers(layout));
  Dynamics dynamics{blocks, options_, {}, {}, {}};
  for (const LayerId l : layout.ids()) {
    if (!continuous(layout[l]) || target.held_layers().contains(l)) continue;
    dynamics.moving.push_back(l);
    chains.write(l);
  }
  for (const std::uint32_t rung : chains.rung()) dynamics.betas.push_back(target.beta_of(rung));
  for (Index inner = 0; inner < options_.inner_steps; ++inner)
    dynamics.of_inner.push_back(execution.random.child("inner" + std::to_string(inner)));

  const std::uint64_t start = chains.step();
  AcceptanceCount count;
  execution.executor.for_each_piece(chains.size(), Tiling::of(chains.size(), options_.tile).rows,
                                    [&](Index begin, Index end) {
                                      const ChainView x(chains, begin, end);
                                      Tile tile(dynamics, x);
                                      std::uint64_t accepted = 0;
                                      for (Index s = 0; s < steps; ++s) {
                                        if (!dynamics.moving.empty()) accepted += tile.advance(start + s);
                                        for (const Block* block : blocks.blocks)
                                          redraw_block(blocks, *block, x, 0, block->size, execution.random, start + s);
                                      }
                                      if (options_.adjusted && !dynamics.moving.empty())
                                        count.add(steps * options_.inner_steps * x.rows(), accepted);
                                    });
  chains.set_step(start + steps);
  return count.report(SamplerReport::usual_least_acceptance);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
