#include <harmonium/samplers/locally_balanced.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/acceptance.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/samplers/blocks.hpp>
#include <harmonium/samplers/gibbs.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr std::uint32_t neighbor_word = 0, taking_word = 1;
constexpr double none = -std::numeric_limits<double>::infinity();

LayerSet discrete_layers(const Layout& layout, LayerSet of) {
  LayerSet set;
  for (const LayerId l : layout.ids(of))
    if (layout[l].unit->num_states() > 0) set.add(l);
  return set;
}

/// log g(t) for log t.
double log_balanced(Balance balance, double log_t) {
  if (balance == Balance::sqrt) return 0.5 * log_t;
  return log_t > 0.0 ? -std::log1p(std::exp(-log_t)) : log_t - std::log1p(std::exp(log_t));
}

/// What the moves of all tiles share.
struct Plan {
  const Target& target;
  LayerSet kept, moving;
  Balance balance;
  std::vector<LayerId> layers;  ///< that move
  std::vector<UnitStates> states;
  std::vector<Index> first;  ///< of each layer, where its neighbors begin; of all of them, last

  Plan(const Target& t, LayerSet kept_layers, LayerSet moving_layers, Balance b)
      : target(t), kept(kept_layers), moving(moving_layers), balance(b), layers(t.model.layout().ids(moving_layers)) {
    first.push_back(0);
    for (const LayerId l : layers) {
      const Layer& layer = t.model.layout()[l];
      states.emplace_back(*layer.unit);
      first.push_back(first.back() + layer.size * layer.unit->num_states());
    }
  }
  Index neighbors() const { return first.back(); }
};

/// Rows [begin, end) of the chains, and log g of each neighbor of each.
class Neighborhood {
 public:
  Neighborhood(const Plan& plan, ChainView x)
      : plan_(plan), x_(x), log_g_(zeros<double>(x.rows(), plan.neighbors())), sums_(x.rows()) {
    for (Index r = x.begin; r < x.end; ++r) betas_.push_back(plan.target.beta_of(x.chains->rung()[r]));
  }

  /// Looks at all neighbors of all rows.
  void look();
  /// log Z of each row.
  const std::vector<double>& log_sums() const { return sums_; }
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

  const Plan& plan_;
  ChainView x_;
  Matrix<double> log_g_;
  std::vector<double> sums_, betas_;
};

Neighborhood::Place Neighborhood::place(Index neighbor) const {
  const auto above = std::ranges::upper_bound(plan_.first, neighbor);
  const auto layer = static_cast<Index>(above - plan_.first.begin()) - 1;
  const Index within = neighbor - plan_.first[layer], num_states = plan_.states[layer].size();
  return {layer, within / num_states, within % num_states};
}

/// log π(y)/π(x) of all neighbors: of the model at each row's β, or, where all layers are kept, of the base at 1 − β too.
void Neighborhood::add_ratios(const EnergyModel& of, bool base) {
  const Layout& layout = plan_.target.model.layout();
  const bool scaled = plan_.kept == layout.all();  // F is E then, and its ratios go by β
  const double beta = scaled ? 1.0 : plan_.target.beta;
  for (Index l = 0; l < plan_.layers.size(); ++l) {
    std::vector<Index> units(layout[plan_.layers[l]].size);
    std::iota(units.begin(), units.end(), Index{0});
    const Index columns = plan_.first[l + 1] - plan_.first[l];
    Matrix<double> found = zeros<double>(x_.rows(), columns);
    of.free_energy()->log_ratios(layout, plan_.kept, beta, x_, plan_.layers[l], units, as_matrix(found));
    for (Index r = 0; r < x_.rows(); ++r) {
      const double factor = !scaled ? 1.0 : base ? 1.0 - betas_[r] : betas_[r];
      for (Index c = 0; c < columns; ++c) log_g_(r, plan_.first[l] + c) += factor * found(r, c);
    }
  }
}

/// The row itself and what is held are no neighbors.
void Neighborhood::leave_out(Index layer) {
  const LayerId id = plan_.layers[layer];
  const UnitStates& states = plan_.states[layer];
  const Index width = plan_.target.model.layout()[id].unit->width(), num_states = states.size();
  const MatrixRef x = x_[id];
  const auto held =
      plan_.target.held ? plan_.target.held->units(id, x_.begin, x_.end) : MatrixView<const std::uint8_t>{};
  for (Index r = 0; r < x_.rows(); ++r)
    for (Index u = 0; u < x.cols / width; ++u) {
      double* const own = &log_g_(r, plan_.first[layer] + u * num_states);
      if (!held.empty() && held(r, u) != 0) std::fill_n(own, num_states, none);
      else if (const Index present = states.find(x[r].subspan(u * width, width)); present < num_states)
        own[present] = none;
    }
}

void Neighborhood::look() {
  log_g_.fill(0.0);
  add_ratios(plan_.target.model, false);
  if (plan_.target.base && !plan_.target.untempered()) add_ratios(*plan_.target.base, true);
  for (double& v : log_g_) v = log_balanced(plan_.balance, v);
  for (Index l = 0; l < plan_.layers.size(); ++l) leave_out(l);
  for (Index r = 0; r < x_.rows(); ++r) {
    double top = none, sum = 0.0;
    for (Index n = 0; n < plan_.neighbors(); ++n) top = std::max(top, log_g_(r, n));
    for (Index n = 0; n < plan_.neighbors() && top > none; ++n) sum += std::exp(log_g_(r, n) - top);
    sums_[r] = top > none ? top + std::log(sum) : none;
  }
}

Index Neighborhood::pick(Index row, double uniform) const {
  double rest = uniform;
  Index last = plan_.neighbors();
  for (Index n = 0; n < plan_.neighbors(); ++n) {
    if (log_g_(row, n) == none) continue;
    last = n;
    rest -= std::exp(log_g_(row, n) - sums_[row]);
    if (rest < 0.0) break;
  }
  return last;
}

Index Neighborhood::go(Index row, Index neighbor) {
  const Place p = place(neighbor);
  const UnitStates& states = plan_.states[p.layer];
  const LayerId id = plan_.layers[p.layer];
  const Index width = plan_.target.model.layout()[id].unit->width();
  const std::span<Real> own = x_[id][row].subspan(p.unit * width, width);
  const Index before = states.find(own);
  std::ranges::copy(states[p.state], own.begin());
  return before < states.size() ? neighbor - p.state + before : plan_.neighbors();
}

/// `held`, and all layers but those of `free`.
HeldMask all_but(const HeldMask* held, LayerSet free, const Layout& layout) {
  HeldMask mask = held ? *held : HeldMask();
  for (const LayerId l : layout.ids(layout.all() - free)) mask.hold(l);
  return mask;
}

/// One move of every row of a tile. `words`: of the tile's first row. Returns how many were accepted.
Index move_rows(const Plan& plan, ChainView x, const DrawBlock& words) {
  Neighborhood here(plan, x), there(plan, x);
  here.look();
  std::vector<Index> way_back(x.rows(), plan.neighbors());
  for (Index r = 0; r < x.rows(); ++r) {
    if (here.log_sums()[r] == none) continue;
    way_back[r] = here.go(r, here.pick(r, uniform_f64(words.word(r, 0, neighbor_word))));
  }
  there.look();
  Index accepted = 0;
  for (Index r = 0; r < x.rows(); ++r) {
    if (way_back[r] == plan.neighbors()) continue;
    if (accepts(here.log_sums()[r] - there.log_sums()[r], uniform_f64(words.word(r, 0, taking_word)))) ++accepted;
    else there.go(r, way_back[r]);
  }
  return accepted;
}

}  // namespace

void LocallyBalancedOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<Balance> balances[] = {{"barker", Balance::barker}, {"sqrt", Balance::sqrt}};
  o.option("moves", moves, "moves of each row in a step; 0: one for each ten discrete units", at_least(0));
  o.choice("balance", balance, balances,
           "how much a neighbor is wanted that is t times as probable: t / (1 + t), or its root");
  o.option("marginal", marginal, "move the observed layers with all others summed out, and then draw these");
}

void LocallyBalanced::check(const Target& target) const {
  const Layout& layout = target.model.layout();
  if (discrete_layers(layout, options_.marginal ? layout.observed() : layout.all()).empty())
    throw CapabilityError(
        "sampler 'locally_balanced': no layer that is to move is discrete, so that rows have no neighbors. Try "
        "'gibbs', 'hmc' or "
        "'langevin'.");
  if (options_.marginal) check_marginal(target);
  for (const EnergyModel* model : {&target.model, target.base})
    if (!options_.marginal && model && (!model->free_energy() || !model->free_energy()->closed(layout.all())))
      throw CapabilityError(
          "sampler 'locally_balanced': the model offers no ratios of the probabilities of neighbors. Try 'gibbs' or "
          "'metropolis'.");
  if (discrete_layers(layout, layout.all()) != layout.all())
    check_block_conditionals(target, "locally_balanced", "which its continuous layers are drawn from");
}

void LocallyBalanced::check_marginal(const Target& target) const {
  const auto refuse = [](const char* why) {
    throw CapabilityError(fmt::format("sampler 'locally_balanced', marginal: {} Set marginal = false.", why));
  };
  const EnergyModel& model = target.model;
  const Layout& layout = model.layout();
  if (target.base || !target.ladder.empty()) refuse("rows at several temperatures have no common free energy.");
  if (!model.free_energy() || !model.free_energy()->closed(layout.observed()))
    refuse("the latent units cannot be summed out in closed form.");
  if (!posterior_factorizes(model)) refuse("the latent units are coupled given the observed ones.");
  if (!target.held) return;
  for (const LayerId l : layout.ids(layout.latent()))
    if (target.held->holds(l) || !target.held->units(l, 0, 1).empty())
      refuse("latent units are held, and cannot be summed out then.");
}

void LocallyBalanced::memory(const EnergyModel& model, MemoryNeed& need) const {
  add_block_memory(model, 0, need);
  double neighbors = 0.0;
  for (const Layer& layer : model.layout().layers())
    neighbors += static_cast<double>(layer.size) * static_cast<double>(layer.unit->num_states());
  need.add_passing("the neighbors of a tile", 3.0 * 256.0 * neighbors * sizeof(double), "the model's discrete units");
}

SamplerReport LocallyBalanced::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                       LastMeans*) {
  const Layout& layout = target.model.layout();
  const LayerSet kept = options_.marginal ? layout.observed() : layout.all();
  const LayerSet moving = discrete_layers(layout, kept) - target.held_layers();
  const LayerSet others = layout.all() - moving - target.held_layers();
  const Plan plan(target, kept, moving, options_.balance);
  Index units = 0;
  for (const LayerId l : plan.layers) units += layout[l].size;
  const Index moves = options_.moves > 0 ? options_.moves : std::max<Index>(units / 10, 1);
  // What was summed out is of the state before the moves, and nothing may be drawn given it before it is drawn itself.
  const LayerSet summed = layout.all() - kept;
  const HeldMask for_summed = all_but(target.held, summed, layout),
                 for_others = all_but(target.held, others - summed, layout);
  const Execution of_others = execution.part("others");
  std::vector<RandomSource> words;
  for (Index m = 0; m < moves; ++m) words.push_back(execution.random.child("move" + std::to_string(m)));
  for (const LayerId l : layout.ids()) chains.write(l);  // each as Real, before threads ask for it
  AcceptanceCount count;
  Gibbs gibbs;
  for (Index s = 0; s < steps; ++s) {
    const std::uint64_t step = chains.step();
    if (!plan.layers.empty())
      execution.executor.for_each_piece(chains.size(), Tiling::of(chains.size()).rows, [&](Index begin, Index end) {
        const auto chain = chains.first_chain() + static_cast<std::uint32_t>(begin);
        std::uint64_t accepted = 0;
        for (const RandomSource& own : words)
          accepted +=
              move_rows(plan, ChainView(chains, begin, end), DrawBlock::of(own, chain, step, plan.layers.front()));
        count.add(moves * (end - begin), accepted);
      });
    for (const HeldMask* held : {&for_summed, &for_others}) {
      const Target redrawn{target.model, target.base, target.beta, target.ladder, held};
      if (held->layers() != layout.all()) gibbs.advance(redrawn, chains, 1, of_others);
      chains.set_step(step);
    }
    chains.set_step(step + 1);
  }
  return count.report(0.0);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
