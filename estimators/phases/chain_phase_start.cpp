// Where chains start.
#include <harmonium/estimators/phases/chain_phase.hpp>
#include <harmonium/estimators/phases/chain_start.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/replica_exchange.hpp>
#include <harmonium/framework/inference/rungs.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Draws the latent units given the observed ones, where that law factorizes; returns whether it does.
bool draw_latent(const EnergyModel& model, const RandomSource& random, Chains& chains, const Executor& executor) {
  if (!posterior_factorizes(model)) return false;
  Posterior posterior;
  posterior.sample(model, chains, random, chains, executor);
  return true;
}

}  // namespace

void ChainPhase::provide(const Layout& layout, Index rows, Index first) {
  if (chains_ && chains_->size() == rows && chains_->first_chain() == first) return;
  const std::uint64_t step = chains_ ? chains_->step() : 0;
  chains_.emplace(layout, rows, static_cast<std::uint32_t>(first));
  chains_->set_step(step);
}

void ChainPhase::start_at_marginals(const EnergyModel& model, const DataBatch& data, const Execution& execution) {
  draw_marginals(model.layout(), data.marginals, execution.random, *chains_);
  draw_latent(model, execution.random.child("latent"), *chains_, execution.executor);
}

bool ChainPhase::burn_in(Index steps) {
  burn_in_ = steps;
  return options_.start == ChainStart::persistent;
}

// The transitions have the words of the chains' first ones: they are numbered with those that updates make.
void ChainPhase::start_burned_in(const EnergyModel& model, const DataBatch& data, const Execution& execution) {
  const Layout& layout = model.layout();
  const Execution starting = execution.part("start");
  draw_marginals(layout, data.marginals, starting.random, *chains_);  // what was not seen
  copy_seen(layout, data, options_.sampler->rungs(), *chains_);
  if (!draw_latent(model, starting.random.child("latent"), *chains_, starting.executor) &&
      holds_observed(model, *options_.sampler)) {
    const HeldMask observed(layout.observed());
    options_.sampler->advance(Target{.model = model, .held = &observed}, *chains_, options_.clamped_steps,
                              starting.part("sampler"));
  }
  options_.sampler->advance(Target{model}, *chains_, burn_in_, execution.part("sampler"));
}

void ChainPhase::start_at_data(const EnergyModel& model, const DataBatch& data, const Execution& execution) {
  const Layout& layout = model.layout();
  const Index rungs = options_.sampler->rungs();
  if (data.observed || !posterior_factorizes(model)) {
    const HeldMask seen = data.seen(layout);
    draw_uniform(layout, execution.random, *chains_);
    copy_seen(layout, data, 1, *chains_);
    if (data.observed && !draws_missing_) return;
    options_.sampler->advance(Target{.model = model, .held = &seen}, *chains_, options_.clamped_steps,
                              execution.part("sampler"));
    return;
  }
  copy_seen(layout, data, rungs, *chains_);
  if (rungs == 1) {
    data.posterior.sample(model, data.rows, execution.random, *chains_, execution.executor);
  } else {
    draw_latent(model, execution.random, *chains_, execution.executor);
  }
}

void ChainPhase::start(const EnergyModel& model, const DataBatch& data, const Execution& execution) {
  const Layout& layout = model.layout();
  const Index rungs = options_.sampler->rungs();
  const bool persistent = options_.start == ChainStart::persistent;
  // Persistent chains go on, however many rows this batch has.
  if (persistent && chains_) return;
  const bool by_row = options_.num_chains == 0;
  const Index first = by_row ? data.rows.first_chain() : shard_ ? shard_->begin(options_.num_chains) : 0;
  provide(layout, own_chains(Phase::negative, data.rows.size()) * rungs, first * rungs);
  all_chains_ = logical_chains(Phase::negative, shard_ ? whole_.rows : data.rows.size());
  assign_rungs(*chains_, rungs);
  if (auto* counting = dynamic_cast<CountsRoundTrips*>(options_.sampler.get())) counting->begin_anew();

  if (persistent && burn_in_ > 0) {
    start_burned_in(model, data, execution);
    return;
  }
  const Execution starting = execution.part("start");
  switch (options_.start) {
    case ChainStart::uniform: draw_uniform(layout, starting.random, *chains_); break;
    case ChainStart::data: start_at_data(model, data, starting); break;
    case ChainStart::persistent:
    case ChainStart::marginals: start_at_marginals(model, data, starting); break;
  }
}

void ChainPhase::start_clamped(const EnergyModel& model, const DataBatch& data, const Execution& execution) {
  const Layout& layout = model.layout();
  provide(layout, data.rows.size(), data.rows.first_chain());
  const bool persistent = options_.start == ChainStart::persistent;
  if (persistent && data.indices.size() != data.rows.size())
    throw CapabilityError(
        "phase 'chains': persistent chains of the positive phase belong to rows of the data, and the batch does not "
        "say which these are. Fill DataBatch::indices, or try start = \"uniform\".");
  if (options_.start == ChainStart::uniform) {
    draw_uniform(layout, execution.random, *chains_);
  } else {
    draw_marginals(layout, data.marginals, execution.random, *chains_);
    copy_seen(layout, data, 1, *chains_);
    draw_latent(model, execution.random.child("latent"), *chains_, execution.executor);
  }
  if (persistent) examples_.recall(layout, data.indices, *chains_);
  copy_seen(layout, data, 1, *chains_);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
