#include <harmonium/estimators/phases/chain_phase.hpp>

#include <fmt/format.h>
#include <xtensor/xmath.hpp>

#include <harmonium/estimators/phases/chain_start.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

ChainPhase::ChainPhase(Options options) : options_(std::move(options)) {
  if (!options_.sampler) throw ConfigError("phase 'chains': a sampler must be given.");
  if (options_.gibbs_steps == 0) throw ConfigError("phase 'chains': 'gibbs_steps' must be at least 1.");
}

void ChainPhase::check(const EnergyModel& model, Phase phase) const {
  const HeldMask observed(model.layout().observed());
  if (phase == Phase::positive) {
    if (options_.start == ChainStart::data)
      throw CapabilityError(
          "phase 'chains': in the positive phase the data is held, and start = \"data\" says nothing of the latent "
          "units. Try start = \"persistent\" or \"uniform\".");
    if (options_.num_chains != 0)
      throw CapabilityError(
          fmt::format("phase 'chains': in the positive phase there is one chain a row of the batch, and num_chains is "
                      "{}. Remove it.",
                      options_.num_chains));
    if (options_.sampler->rungs() != 1)
      throw CapabilityError(
          "phase 'chains': in the positive phase every chain is at the model's own temperature, and the sampler has a "
          "ladder of them. Try the sampler 'gibbs'.");
    options_.sampler->check(Target{.model = model, .held = &observed});
    return;
  }
  if (options_.start == ChainStart::data && !posterior_factorizes(model)) {
    if (options_.sampler->rungs() != 1)
      throw CapabilityError(
          "phase 'chains': a start from the data draws latent units that are coupled given it with the sampler, and a "
          "ladder of temperatures does not. Try start = \"persistent\".");
    options_.sampler->check(Target{.model = model, .held = &observed});
  }
  options_.sampler->check(Target{model});
}

void ChainPhase::begin(const EnergyModel& model, Phase phase, const DataOutline& data) {
  if (phase == Phase::negative && data.missing && options_.start == ChainStart::data && options_.sampler->rungs() != 1)
    throw CapabilityError(
        "phase 'chains': a start from rows with missing entries draws these with the sampler, and a ladder of "
        "temperatures does not. Try start = \"persistent\".");
  if (data.missing && phase == Phase::positive) check_partly_held(model, *options_.sampler);
  draws_missing_ = !data.missing || holds_parts(model, *options_.sampler);
  outline_ = {data.rows, data.missing};
  begun_.emplace(Begun{model.layout(), phase});
  if (phase == Phase::positive && options_.start == ChainStart::persistent)
    examples_.begin(model.layout(), remembered(model.layout(), data.missing));
}

LayerSet ChainPhase::remembered(const Layout& layout, bool missing) const {
  return missing ? layout.all() : layout.latent();
}

void ChainPhase::memory(const EnergyModel& model, Phase phase, Index rows, MemoryNeed& need) const {
  const Layout& layout = model.layout();
  const double chains = static_cast<double>(own_chains(phase, rows)) * static_cast<double>(options_.sampler->rungs());
  const auto latent = static_cast<double>(layout.columns(layout.latent()));
  const double values = chains * static_cast<double>(layout.columns(layout.all())) * sizeof(Real);
  const char* lower =
      phase == Phase::positive || options_.start == ChainStart::data ? "training.batch_size" : options_.words.number;
  need.add_state(phase == Phase::positive ? "the chains of the positive phase" : options_.words.chains, values, lower);
  if (phase == Phase::positive && options_.start == ChainStart::persistent)
    need.add_state("the chain of each row of the data",
                   ExampleMemory::bytes(layout, remembered(layout, outline_.missing), ExampleMemory::Values::states,
                                        outline_.rows),
                   "the number of rows");
  if (options_.rao_blackwell) need.add(options_.words.means, chains * latent * sizeof(Real), lower);
  if (options_.rao_blackwell)
    need.add_passing("the means, weighed by their rows", chains * latent * sizeof(Real), lower);
  options_.sampler->memory(model, need);
}

Index ChainPhase::logical_chains(Phase phase, Index rows) const {
  const bool by_row = phase == Phase::positive || options_.start == ChainStart::data || options_.num_chains == 0;
  return by_row ? rows : options_.num_chains;
}

Index ChainPhase::own_chains(Phase phase, Index rows) const {
  const Index all = logical_chains(phase, rows);
  const bool by_row = phase == Phase::positive || options_.num_chains == 0;
  return shard_ && !by_row ? shard_->of(all) : all;
}

double ChainPhase::products(const EnergyModel& model, Phase phase, Index rows) const {
  double steps = static_cast<double>(options_.gibbs_steps);
  if (phase == Phase::negative && options_.start == ChainStart::data && !posterior_factorizes(model))
    steps += static_cast<double>(options_.clamped_steps);
  return static_cast<double>(logical_chains(phase, rows)) * (options_.sampler->products_per_step() * steps + 1.0);
}

template <class WeightOf>
SamplerReport ChainPhase::move_and_add(const Target& target, bool states_wanted, const WeightOf& weight_of,
                                       std::span<Real> gradient, const Execution& execution) {
  const EnergyModel& model = target.model;
  const Layout& layout = model.layout();
  Chains& chains = *chains_;
  const Index rows = chains.size();

  const bool means = options_.rao_blackwell && model.factorized_expectation();
  LastMeans last;
  if (means) {
    moments_.resize(layout.size());
    last.states = states_wanted;
    last.mean.resize(layout.size());
    last.second.resize(layout.size());
    for (const LayerId l : layout.ids(layout.latent())) {
      moments_[l].resize(*layout[l].unit, rows, layout[l].columns());
      last.mean[l] = moments_[l].first();
      last.second[l] = moments_[l].second();
    }
  }
  SamplerReport report = options_.sampler->advance(target, chains, options_.gibbs_steps, execution.part("sampler"),
                                                   means ? &last : nullptr);
  std::vector<double> weights(rows);
  for (Index r = 0; r < rows; ++r) weights[r] = weight_of(r);
  if (!means) {
    model.add_gradient(chains, weights, gradient, execution.executor);
    return report;
  }
  Posterior conditional;  // for a sampler that leaves no means behind
  Moments q;
  if (last.filled.empty() && posterior_factorizes(model) && !layout.latent().empty()) {
    q = conditional.moments(model, chains, execution.executor);
  } else {
    q = {PerLayer<ConstMatrixRef>(layout.size()), PerLayer<ConstMatrixRef>(layout.size())};
    squares_.resize(layout.size());
    for (const LayerId l : layout.ids()) {
      if (last.filled.contains(l)) {
        q.mean[l] = last.mean[l];
        q.second[l] = last.second[l];
        continue;
      }
      const ConstMatrixRef x = q.mean[l] = chains.read(l);
      if (!layout[l].unit->has_curvature()) continue;
      squares_[l].resize(x.all().size());
      in_place(std::span(squares_[l])) = xt::square(as_xtensor(x.all()));
      q.second[l] = {squares_[l].data(), x.rows, x.cols, x.cols};
    }
  }
  model.factorized_expectation()->add_gradient(q, weights, gradient, execution.executor);
  return report;
}

PhaseReport ChainPhase::accumulate(const EnergyModel& model, const DataBatch& data, Phase phase, double scale,
                                   std::span<Real> gradient, const Execution& execution) {
  const Layout& layout = model.layout();
  const bool persistent = options_.start == ChainStart::persistent;
  PhaseReport report;
  if (phase == Phase::positive) {
    start_clamped(model, data, execution.part("start"));
    const HeldMask seen = data.seen(layout);
    report.sampler = move_and_add(
        Target{.model = model, .held = &seen}, persistent, [&](Index r) { return scale * data.weights[r]; }, gradient,
        execution);
    if (persistent) examples_.remember(layout, remembered(layout, data.observed != nullptr), data.indices, *chains_);
    report.method = fmt::format("clamped chains, {} steps{}", options_.gibbs_steps,
                                persistent ? " at each visit of a row" : " from a fresh start");
    return report;
  }
  start(model, data, execution);
  const Index rungs = options_.sampler->rungs();
  // Of a ladder only the rows at the target's own temperature count; a start from the data keeps the data's weights.
  const bool by_row = options_.start == ChainStart::data;
  const double each = (shard_ ? whole_.weight : data.total_weight()) / static_cast<double>(all_chains_);
  const auto weight_of = [&](Index r) {
    if (chains_->rung()[r] != 0) return 0.0;
    return scale * (by_row ? data.weights[r / rungs] : each);
  };
  report.sampler = move_and_add(Target{model}, persistent, weight_of, gradient, execution);
  report.method = fmt::format("{} chains, {} steps", all_chains_, options_.gibbs_steps);
  return report;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
