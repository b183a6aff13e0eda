#include <harmonium/estimators/phases/coupled_chains.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/estimators/phases/chain_start.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index supposed_meeting_time = 10;  // for budgets, until some are known

bool same_row(const Layout& layout, const Chains& a, const Chains& b, Index row) {
  return std::ranges::all_of(layout.ids(), [&](LayerId l) {
    const ConstMatrixRef x = a.read(l), y = b.read(l);
    return std::ranges::equal(x[row], y[row]);
  });
}

Chains rows_of(const Layout& layout, const Chains& from, std::span<const Index> rows) {
  Chains to(layout, rows.size(), from.first_chain());
  to.set_step(from.step());
  for (Index r = 0; r < rows.size(); ++r) to.copy_rows(layout.all(), {from, rows[r], rows[r] + 1}, r);
  return to;
}

/// gradient += Σ weights[r] f(x_r)
void add_statistics(const EnergyModel& model, const Chains& x, std::span<const double> weights,
                    std::span<Real> gradient, const Executor& executor) {
  if (model.factorized_expectation() && posterior_factorizes(model)) {
    Posterior posterior;
    model.factorized_expectation()->add_gradient(posterior.moments(model, x, executor), weights, gradient, executor);
  } else {
    model.add_gradient(x, weights, gradient, executor);
  }
}

}  // namespace

void CoupledChainsOptions::bind(OptionBinder& o) {
  o.option("gibbs_steps", gibbs_steps, "transitions before the estimate begins (k): more cost more and vary less",
           at_least(1));
  o.option("max_steps", max_steps, "transitions after which chains that have not met end the run", at_least(1));
  o.component("sampler", sampler, "what moves the chains", "gibbs");
}

void CoupledChainsOptions::validate() const {
  if (max_steps <= gibbs_steps)
    throw ConfigError(fmt::format("'max_steps' is {}, but chains must go on after 'gibbs_steps' = {}. Raise it.",
                                  max_steps, gibbs_steps));
}

CoupledChains::CoupledChains(Options options) : options_(std::move(options)) {
  if (!options_.sampler) throw ConfigError("phase 'coupled_chains': a sampler must be given.");
}

void CoupledChains::check(const EnergyModel& model, Phase phase) const {
  if (phase == Phase::positive)
    throw CapabilityError(
        "phase 'coupled_chains': it draws from the model, which is the negative phase. Try 'automatic' or 'chains'.");
  if (options_.sampler->rungs() != 1 || options_.sampler->adaptation_steps() != 0)
    throw CapabilityError(
        "phase 'coupled_chains': the two chains must make the same moves, and the sampler adapts itself or has a "
        "ladder "
        "of temperatures. Try the sampler 'gibbs'.");
  const Layout& layout = model.layout();
  LayerSet continuous, discrete;
  for (const LayerId l : layout.ids()) (layout[l].unit->num_states() == 0 ? continuous : discrete).add(l);
  if (!continuous.empty() && (discrete.empty() || !model.block_conditionals() ||
                              !model.block_conditionals()->independent(continuous, discrete)))
    throw CapabilityError(
        "phase 'coupled_chains': chains of continuous units meet only where these are independent given discrete ones. "
        "Try 'chains'.");
  options_.sampler->check(Target{model});
}

double CoupledChains::products(const EnergyModel&, Phase, Index rows) const {
  const double of_pair = pairs_met_ > 0.0 ? products_made_ / pairs_met_ : products_of_pair(supposed_meeting_time);
  return static_cast<double>(rows) * of_pair;
}

double CoupledChains::products_of_pair(std::uint64_t meeting_time) const {
  const auto k = static_cast<double>(options_.gibbs_steps), time = static_cast<double>(meeting_time);
  const double transitions = 2.0 * std::max(k, time) - 1.0;             // the second chain makes one less
  const double statistics = 1.0 + 2.0 * std::max(0.0, time - 1.0 - k);  // f at ξ_k, then at ξ_t and η_(t−1)
  return options_.sampler->products_per_step() * transitions + 2.0 * statistics;
}

void CoupledChains::memory(const EnergyModel& model, Phase, Index rows, MemoryNeed& need) const {
  const Layout& layout = model.layout();
  const double chains = static_cast<double>(rows) * static_cast<double>(layout.columns(layout.all())) * sizeof(Real);
  need.add("the two chains of each row", 2.0 * chains, "training.batch_size");
  need.add_passing("the chains that have not met", 4.0 * chains, "training.batch_size");
  options_.sampler->memory(model, need);
}

Chains CoupledChains::start(const EnergyModel& model, const DataBatch& data, const Execution& execution) const {
  const Layout& layout = model.layout();
  Chains chains(layout, data.rows.size(), data.rows.first_chain());
  chains.set_step(step_);
  // Any start that both chains share serves: where the posterior is not at hand, what was not seen is uniform.
  draw_uniform(layout, execution.random, chains);
  copy_seen(layout, data, 1, chains);
  if (!data.observed && posterior_factorizes(model))
    data.posterior.sample(model, data.rows, execution.random.child("latent"), chains, execution.executor);
  return chains;
}

PhaseReport CoupledChains::accumulate(const EnergyModel& model, const DataBatch& data, Phase, double scale,
                                      std::span<Real> gradient, const Execution& execution) {
  const Layout& layout = model.layout();
  const Target target{model};
  Chains ahead = start(model, data, execution.part("start")), behind = ahead;
  std::vector<double> weights = scaled(data.weights, scale);

  PhaseReport report;
  MeetingReport meetings;
  std::vector<std::uint8_t> met(ahead.size(), 0);
  Index pairs = ahead.size();
  for (Index t = 1; t <= options_.gibbs_steps || pairs > 0; ++t) {
    if (t > options_.max_steps)
      throw NumericalError(fmt::format(
          "phase 'coupled_chains': {} of {} pairs of chains have not met after {} steps, so that the estimate would be "
          "biased. The model mixes slowly: raise max_steps, or train with 'pcd'.",
          pairs, data.rows.size(), options_.max_steps));
    const std::uint64_t words = ahead.step();
    report.sampler = options_.sampler->advance(target, ahead, 1, execution.part("sampler"));
    if (t > 1) {
      behind.set_step(words);
      options_.sampler->advance(target, behind, 1, execution.part("sampler"));
      for (Index r = 0; r < ahead.size(); ++r) {
        if (met[r] || !same_row(layout, ahead, behind, r)) continue;
        met[r] = 1;
        --pairs;
        meetings.add(t);
        products_made_ += products_of_pair(t);
        ++pairs_met_;
      }
    }
    if (t < options_.gibbs_steps) continue;
    if (t == options_.gibbs_steps) add_statistics(model, ahead, weights, gradient, execution.executor);
    if (pairs < ahead.size()) {
      std::vector<Index> left;
      std::vector<double> of_left;
      for (Index r = 0; r < met.size(); ++r) {
        if (met[r]) continue;
        left.push_back(r);
        of_left.push_back(weights[r]);
      }
      ahead = rows_of(layout, ahead, left);
      behind = rows_of(layout, behind, left);
      weights = std::move(of_left);
      met.assign(left.size(), 0);
    }
    if (t == options_.gibbs_steps || pairs == 0) continue;
    add_statistics(model, ahead, weights, gradient, execution.executor);
    add_statistics(model, behind, scaled(weights, -1.0), gradient, execution.executor);
  }
  step_ = shard_ ? step_ + options_.max_steps : ahead.step();
  report.meetings = meetings;
  report.method = fmt::format("coupled chains from step {}", options_.gibbs_steps);
  return report;
}

void CoupledChains::state(StateArchive& archive) {
  archive.field("step", step_);
  archive.group("sampler", *options_.sampler);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
