#include <harmonium/framework/run/picture_walk.hpp>

#include <algorithm>

#include <harmonium/framework/inference/finite_chains.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/inference/rungs.hpp>
#include <harmonium/framework/inference/scaled_copy.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/run/start_chains.hpp>
#include <harmonium/framework/training/batches.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

PictureWalk::PictureWalk(const EnergyModel& model, Sampler& sampler, const WalkStart& start, const Execution& execution)
    : model_(model), sampler_(sampler), execution_(execution), target_{model} {
  const Layout& layout = model.layout();
  const Index rungs = sampler.rungs();
  target_.beta = start.beta;
  if (start.beta != 1.0) at_beta_ = scaled_copy(model, start.beta);
  chains_ = Chains(layout, start.count * rungs);
  assign_rungs(chains_, rungs);
  const RandomSource random = execution.random.child("start");
  start_from_biases(model, start.beta, random, chains_);
  write_held(start);
  if (!start.data) return;
  start_from_rows(spread_rows(*start.data, layout, start.count, 0));
  write_held(start);
  draw_latent(random.child("latent"));
  write_held(start);
}

void PictureWalk::write_held(const WalkStart& start) {
  if (!start.hold) return;
  start.hold->write(chains_, sampler_.rungs(), start.block);
  held_ = start.hold->mask(start.count, sampler_.rungs());
  target_.held = &held_;
}

void PictureWalk::start_from_rows(const Chains& rows) {
  const Layout& layout = model_.layout();
  const Index rungs = sampler_.rungs();
  for (const LayerId l : layout.ids()) {
    if (layout[l].role != Role::observed) continue;
    const ConstMatrixRef from = rows.read(l);
    const MatrixRef to = chains_.write(l);
    for (Index r = 0; r < to.rows; ++r) std::copy_n(from.row(r / rungs), from.cols, to.row(r));
  }
}

/// Where that is a law of independent units, the latent ones given the others.
void PictureWalk::draw_latent(const RandomSource& random) {
  const EnergyModel* const model = model_of_law();
  if (!model || model->layout().latent().empty() || !posterior_factorizes(*model)) return;
  Posterior posterior;
  posterior.sample(*model, chains_, random, chains_, execution_.executor);
}

void PictureWalk::advance(Index steps) {
  sampler_.advance(target_, chains_, steps, execution_.part("sampler"));
  check_finite(chains_, model_.layout());
}

bool PictureWalk::is_held(LayerId layer, Index row, Index column) const {
  if (held_.holds(layer)) return true;
  const auto units = held_.units(layer, row, row + 1);
  return units.rows > 0 && units(0, column / model_.layout()[layer].unit->width()) != 0;
}

bool PictureWalk::look(std::span<const LayerId> layers, Shown shown, std::vector<double>& out) {
  // Of a stack the first machine, given whose latent units the observed ones were drawn.
  const StackedMachines* stack = stacked_machines(model_);
  const EnergyModel* const of_law = model_of_law();
  const EnergyModel& model = stack ? stack->machine(0) : of_law ? *of_law : model_;
  const Layout& layout = model.layout();
  const BlockConditionals* conditionals = model.block_conditionals();
  const bool known = shown == Shown::means && of_law && !layout.latent().empty() && conditionals &&
                     conditionals->independent(layout.observed(), layout.latent());
  Chains of_machine;
  if (known && stack)
    of_machine = stack->rows_of_machine(0, layout.latent(), ConstChainView(chains_, 0, chains_.size()));
  Posterior observed(layout.observed());
  const Moments* moments =
      known ? &observed.moments(model, stack ? of_machine : chains_, execution_.executor) : nullptr;
  const auto mean_of = [&](LayerId l) {
    for (const LayerId own : layout.ids(layout.observed()))
      if (stack && stack->layer_of(0, own) == l) return moments->mean[own];
    return moments->mean[l];
  };
  for (Index r = 0; r < chains_.size(); ++r) {
    if (chains_.rung()[r] != 0) continue;
    for (const LayerId l : layers) {
      const ConstMatrixRef states = chains_.read(l);
      const ConstMatrixRef values = moments ? mean_of(l) : states;
      for (Index c = 0; c < values.cols; ++c) out.push_back(is_held(l, r, c) ? states(r, c) : values(r, c));
    }
  }
  return known;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
