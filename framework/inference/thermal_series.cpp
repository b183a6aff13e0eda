#include <harmonium/framework/inference/thermal_series.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/inference/annealing.hpp>
#include <harmonium/framework/inference/bound_states.hpp>
#include <harmonium/framework/inference/energy_differences.hpp>
#include <harmonium/framework/inference/finite_chains.hpp>
#include <harmonium/framework/inference/ladders.hpp>
#include <harmonium/framework/inference/rungs.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index thermal_stride = 64;       // steps between which progress is shown
constexpr Index numbers_of_piece = 16384;  // local ones, of which a piece of work is worth a thread

/// `rungs` neighbors of each chain begin alike, but for their draws.
Chains hot_and_cold(const EnergyModel& model, const ThermalPlan& plan, Index rungs, const RandomSource& random) {
  const Layout& layout = model.layout();
  Chains chains(layout, plan.num_chains * rungs);
  AnnealingBase::uniform(model).draw(nullptr, random, chains);
  for (Index c = plan.num_chains / 2; c < plan.num_chains; ++c)
    set_to_bound(layout, c % 2 == 0 ? Bound::lowest : Bound::highest, c * rungs, (c + 1) * rungs, chains);
  if (plan.held) plan.held->write(chains);
  assign_rungs(chains, rungs);
  return chains;
}

HeldMask held_in(const ThermalPlan& plan, Index rows) { return plan.held ? plan.held->mask(rows) : HeldMask(); }

/// The chains of a pair, of which the first `pairs` are of replicas, and the others crossed.
std::pair<Index, Index> chains_of_pair(Index pair, Index pairs) {
  if (pair < pairs) return {pair, pair + pairs};
  const Index crossed = pair - pairs;
  return crossed + 1 < pairs ? std::pair{crossed, crossed + 1} : std::pair{Index{1}, pairs};
}

/// Writes what is measured of chains into the series of their temperatures.
class ThermalRecorder {
 public:
  /// Rung k of the chains is temperature `first` + k of the record.
  ThermalRecorder(const LayerObservables& what, ThermalRecord& record, Index first, Index rungs)
      : what_(what), record_(record), first_(first), rungs_(rungs) {
    if (what.kind() != LayerObservables::Kind::sites) return;
    for (Index k = first; k < first + rungs; ++k)
      record.temperatures[k].joint_overlaps.resize(record.temperatures[k].overlaps.size());
  }

  void keep(const Chains& chains, std::span<const double> energies, Index step, const Executor& executor) {
    const Index width = what_.names().size(), num_chains = chains.size() / rungs_;
    measured_.resize(chains.size() * width);
    const MatrixView<double> out{measured_.data(), chains.size(), width, width};
    what_.evaluate(chains, executor, out);
    rows_.resize(chains.size());
    for (Index r = 0; r < chains.size(); ++r) {
      const Index rung = chains.rung()[r], chain = r / rungs_;
      ThermalSeries& series = record_.temperatures[first_ + rung];
      const Index at = chain * series.num_steps + step;
      series.numbers[0][at] = energies[r];
      for (Index n = 0; n < width; ++n) series.numbers[n + 1][at] = out(r, n);
      rows_[rung * num_chains + chain] = r;
    }
    keep_local(chains, executor, step);
    const Index pairs = num_chains / 2, all_pairs = pairs + record_.temperatures[first_].crossed_pairs();
    executor.for_each_piece(rungs_ * all_pairs, 16, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const Index rung = i / all_pairs, pair = i % all_pairs;
        const auto [one, other] = chains_of_pair(pair, pairs);
        ThermalSeries& series = record_.temperatures[first_ + rung];
        const Index* of_rung = &rows_[rung * num_chains];
        const Index at = pair * series.num_steps + step;
        series.overlaps[at] = what_.overlap(chains, of_rung[one], of_rung[other]);
        if (!series.joint_overlaps.empty())
          series.joint_overlaps[at] = what_.joint_overlap(chains, of_rung[one], of_rung[other]);
      }
    });
  }

 private:
  /// Each row is the only one of its temperature and chain.
  void keep_local(const Chains& chains, const Executor& executor, Index step) {
    const std::optional<LocalSums>& first = record_.temperatures[first_].local;
    if (!first) return;
    const ConstMatrixRef x = chains.real()[what_.layer()];
    executor.for_each_piece(x.rows, 1 + numbers_of_piece / first->what().size(), [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r)
        record_.temperatures[first_ + chains.rung()[r]].local->add(r / rungs_, step, x[r]);
    });
  }

  const LayerObservables& what_;
  ThermalRecord& record_;
  Index first_, rungs_;
  std::vector<double> measured_;
  std::vector<Index> rows_;  ///< rung × chain
};

void tell_progress(const Execution& execution, Index done, Index all, const char* what) {
  if (execution.display) execution.display->progress(static_cast<double>(done) / static_cast<double>(all), what);
}

}  // namespace

ThermalSeries::ThermalSeries(double b, const ThermalPlan& plan, Index num_numbers)
    : beta(b),
      num_chains(plan.num_chains),
      num_steps(plan.num_steps),
      numbers(num_numbers, std::vector<double>(plan.num_chains * plan.num_steps)),
      overlaps((num_pairs() + crossed_pairs()) * plan.num_steps) {
  if (plan.local) local.emplace(*plan.local, num_chains, num_steps);
}

ThermalRecord record_tempered(const EnergyModel& model, Sampler& sampler, const LayerObservables& what,
                              const ThermalPlan& plan, const Execution& execution) {
  const HeldMask held = held_in(plan, plan.num_chains * plan.betas.size());
  Ladders ladders({.model = model, .beta = plan.betas.front(), .held = plan.held ? &held : nullptr}, plan.betas,
                  hot_and_cold(model, plan, plan.betas.size(), execution.random.child("start")));
  sampler.check(ladders.target());
  ThermalRecord record;
  for (const double beta : ladders.betas()) record.temperatures.emplace_back(beta, plan, 1 + what.names().size());
  ThermalRecorder recorder(what, record, 0, ladders.rungs());
  Index done = 0;
  const auto walk = [&](Index steps, FunctionRef<void(Index, const std::vector<double>&)> measure) {
    return ladders.walk(steps, sampler, execution, measure, [&](Index) {
      check_finite(ladders.chains(), model.layout());
      if (++done % thermal_stride == 0)
        tell_progress(execution, done, plan.warm_up + plan.num_steps, "parallel tempering");
    });
  };
  walk(plan.warm_up, [](Index, const std::vector<double>&) {});
  record.ladder = walk(plan.num_steps, [&](Index t, const std::vector<double>& energies) {
    recorder.keep(ladders.chains(), energies, t - 1, execution.executor);
  });
  return record;
}

ThermalRecord record_alone(const EnergyModel& model, const std::function<std::unique_ptr<Sampler>()>& make,
                           const LayerObservables& what, const ThermalPlan& plan, const Execution& execution) {
  ThermalRecord record;
  const Index each = plan.warm_up + plan.num_steps;
  for (Index k = 0; k < plan.betas.size(); ++k) {
    const Execution own = execution.part(fmt::format("temperature {}", k));
    const std::unique_ptr<Sampler> sampler = make();
    const Index rungs = sampler->rungs();
    const HeldMask held = held_in(plan, plan.num_chains * rungs);
    const Target target{.model = model,
                        .beta = static_cast<double>(static_cast<Real>(plan.betas[k])),
                        .held = plan.held ? &held : nullptr};
    sampler->check(target);
    ThermalSeries& series = record.temperatures.emplace_back(target.beta, plan, 1 + what.names().size());
    series.moves.emplace();
    ThermalRecorder recorder(what, record, k, 1);
    Chains chains = hot_and_cold(model, plan, rungs, own.random.child("start"));
    for (Index t = 0; t < each; ++t) {
      const SamplerReport report = sampler->advance(target, chains, 1, own.part("sampler"));
      check_finite(chains, model.layout());
      own.executor.check_stop();
      if (t % thermal_stride == 0) tell_progress(own, k * each + t, plan.betas.size() * each, "running chains");
      if (t < plan.warm_up) continue;
      series.moves->add(report);
      const Chains at_target = rungs == 1 ? Chains() : rows_at_target(chains, model.layout());
      const Chains& now = rungs == 1 ? chains : at_target;
      recorder.keep(now, energy_differences(target, now, own.executor), t - plan.warm_up, own.executor);
    }
  }
  return record;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
