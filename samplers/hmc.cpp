#include <harmonium/samplers/hmc.hpp>

#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <xtensor/xmath.hpp>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/acceptance.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/inference/tile_sampler.hpp>
#include <harmonium/samplers/blocks.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/marginal_energy.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Transitions of one step size and one number of leapfrog steps.
class Leapfrog final : public TileSampler {
 public:
  Leapfrog(double step_size, Index steps) : TileSampler("hmc"), step_size_(step_size), steps_(steps) {}

 private:
  Index move(ChainTile& tile) const override {
    const Matrix<double> start = tile.positions();
    Matrix<double> q = start, p = tile.normals(), gradient = tile.gradient();
    const Vector<double> before = hamiltonian(tile, p);
    for (Index s = 0; s < steps_; ++s) {
      p -= 0.5 * step_size_ * gradient;
      q += step_size_ * p;
      tile.set_positions(q);
      gradient = tile.gradient();
      p -= 0.5 * step_size_ * gradient;
    }
    const Vector<double> after = hamiltonian(tile, p);
    Index accepted = 0;
    for (Index r = 0; r < tile.rows(); ++r) {
      if (accepts(before(r) - after(r), tile.uniform(r))) ++accepted;
      else tile.set_positions(r, start);
    }
    return accepted;
  }
  static Vector<double> hamiltonian(const ChainTile& tile, const Matrix<double>& p) {
    return tile.energy() + 0.5 * xt::sum(p * p, {1});
  }

  double step_size_;
  Index steps_;
};

/// The columns of some layers side by side, a row a chain.
Matrix<double> columns_of(const Chains& chains, const Layout& layout, LayerSet layers) {
  Matrix<double> all = zeros<double>(chains.size(), layout.columns(layers));
  const PerLayer<Index> first = layout.first_columns(layers);
  for (const LayerId l : layout.ids(layers)) {
    const ConstMatrixRef x = chains.read(l);
    for (Index r = 0; r < x.rows; ++r)
      for (Index c = 0; c < x.cols; ++c) all(r, first[l] + c) = static_cast<double>(x(r, c));
  }
  return all;
}

/// From half of the path to all of it, by a word of the step's own; where paths are compared, all of it.
Index leapfrog_steps(const HmcAdaptation& adaptation, const RandomSource& random, std::uint64_t step) {
  const Index path = adaptation.path();
  if (adaptation.comparing() || path == 1) return path;
  const DrawBlock words = DrawBlock::of(random.child("path"), 0, step, LayerId{0});
  const Index least = (path + 1) / 2, spread = path - least + 1;
  return least + (static_cast<std::uint64_t>(words.word(0, 0)) * spread >> 32);
}

/// `held`, and whole layers besides.
HeldMask with_layers(const HeldMask* held, LayerSet layers, const Layout& layout) {
  HeldMask all = held ? *held : HeldMask();
  for (const LayerId l : layout.ids(layers)) all.hold(l);
  return all;
}

}  // namespace

void HmcOptions::bind(OptionBinder& o) {
  o.option("step_size", step_size, "of a leapfrog step, in units of x; where it is adapted, what it starts from",
           more_than(0));
  o.option("leapfrog_steps", leapfrog_steps, "most of them in a transition; where the path is adapted, at first",
           within(1, 1e9));
  o.option("adapt_steps", adapt_steps, "transitions during which step and path are adapted; 0: they are as given",
           at_least(0));
  o.option("target_acceptance", target_acceptance, "share of proposals that the step size is adapted to have accepted",
           within(0.05, 0.99));
  o.option("marginal", marginal, "move the observed layers with all others summed out, and then draw these");
}

Hmc::Hmc(Options options)
    : options_(options),
      adaptation_(options.step_size, options.leapfrog_steps, options.adapt_steps, options.target_acceptance) {}

void Hmc::check(const Target& target) const {
  const Layout& layout = target.model.layout();
  const LayerSet sloped = layers_with_slope(layout);
  if (sloped.empty()) {
    check_no_stack(target, "hmc");
    refuse_without_slope(layout, "hmc");
  }
  for (const LayerId l : layout.ids(sloped))
    if (std::isfinite(layout[l].unit->min()) || std::isfinite(layout[l].unit->max()))
      throw CapabilityError(
          fmt::format("sampler 'hmc': the units of layer '{}' have a bounded domain. Try 'langevin'.", layout[l].name));
  if (options_.marginal) return check_marginal(target);
  check_state_gradients(target, "hmc");
  if (sloped != layout.all()) check_block_conditionals(target, "hmc", "which its discrete layers are drawn from");
}

void Hmc::check_marginal(const Target& target) const {
  const auto refuse = [](const char* why) {
    throw CapabilityError(fmt::format("sampler 'hmc', marginal: {} Set marginal = false.", why));
  };
  const EnergyModel& model = target.model;
  const LayerSet observed = model.layout().observed();
  if (!target.untempered() || target.base) refuse("the free energy at another temperature has no score here.");
  if (!model.score() || !model.score()->offered(observed) || !model.free_energy() ||
      !model.free_energy()->closed(observed))
    refuse("the observed layers have no score with all others summed out.");
  if (!posterior_factorizes(model)) refuse("the latent units are coupled given the observed ones.");
  if (!target.held) return;
  for (const LayerId l : model.layout().ids(model.layout().latent()))
    if (target.held->holds(l) || !target.held->units(l, 0, 1).empty())
      refuse("units are held, and latent ones cannot be summed out then.");
}

double Hmc::products_per_step() const { return 2.0 * static_cast<double>(adaptation_.path() + 1); }

void Hmc::memory(const EnergyModel& model, MemoryNeed& need) const {
  add_block_memory(model, 0, need);
  const Layout& layout = model.layout();
  const auto moving = static_cast<double>(layout.columns(layers_with_slope(layout)));
  need.add_passing("positions, momenta and slopes, for a tile", 256.0 * moving * 5.0 * sizeof(double),
                   "the model's continuous units");
}

SamplerReport Hmc::advance(const Target& target, Chains& chains, Index steps, const Execution& execution, LastMeans*) {
  const Layout& layout = target.model.layout();
  const LayerSet moving = (options_.marginal ? layout.observed() : layers_with_slope(layout)) - target.held_layers();
  const LayerSet others = layout.all() - moving - target.held_layers();
  const MarginalEnergy marginal(target.model);
  const HeldMask of_others = with_layers(target.held, others, layout),
                 of_moving = with_layers(target.held, moving, layout);
  Target dynamics{options_.marginal ? marginal : target.model, target.base, target.beta, target.ladder, &of_others};
  Target redrawn{target.model, target.base, target.beta, target.ladder, &of_moving};
  const Execution discrete = execution.part("others");
  Gibbs gibbs;
  SamplerReport report;
  double accepted = 0.0;
  for (Index s = 0; s < steps; ++s) {
    const std::uint64_t step = chains.step();
    SamplerReport own;
    if (!moving.empty()) {
      const bool learning = !adaptation_.over();
      const Matrix<double> before = learning ? columns_of(chains, layout, moving) : Matrix<double>();
      Leapfrog leapfrog(adaptation_.step_size(), leapfrog_steps(adaptation_, execution.random, step));
      own = leapfrog.advance(dynamics, chains, 1, execution);
      if (learning) adaptation_.learn(own.acceptance, before, columns_of(chains, layout, moving));
    }
    chains.set_step(step);
    if (!others.empty()) gibbs.advance(redrawn, chains, 1, discrete);
    chains.set_step(step + 1);
    accepted += own.acceptance * static_cast<double>(own.proposed);
    report.proposed += own.proposed;
  }
  if (report.proposed > 0) report.acceptance = accepted / static_cast<double>(report.proposed);
  report.min_acceptance = SamplerReport::usual_min_acceptance;
  return report;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
