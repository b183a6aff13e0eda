#include <harmonium/framework/inference/model_draws.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/inference/replica_exchange.hpp>
#include <harmonium/framework/inference/rungs.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index most_recorded = 40000;  // values of D

/// Ladders that walk, and the draws that they leave.
class Ladders {
 public:
  Ladders(Target target, const LadderPlan& plan, Index num_rows, Sampler& sampler, Chains start,
          const Execution& execution)
      : target_(target),
        plan_(plan),
        per_ladder_((num_rows + plan.num_ladders - 1) / plan.num_ladders),
        sampler_(sampler),
        chains_(std::move(start)),
        execution_(execution),
        tally_(plan.betas.size()) {
    for (const double beta : plan.betas) ladder_.push_back(static_cast<double>(static_cast<Real>(beta)));
    std::ranges::reverse(ladder_);
    target_.ladder = ladder_;
    assign_rungs(chains_, rungs());
    tally_.follow(chains_);
  }

  /// One half is walked for nothing and the next one used; where that had too few round trips, all so far was for nothing.
  ModelDraws run() {
    Index half = std::max<Index>(plan_.num_steps / 2, per_ladder_);
    walk(half, {});
    for (Index walked = half;; walked += half, half = walked) {
      ModelDraws draws;
      draws.rows = Chains(target_.model.layout(), plan_.num_ladders * per_ladder_);
      const Index times = std::clamp<Index>(most_recorded / (rungs() * plan_.num_ladders), 20, 200);
      draws.record = LadderRecord(ladder_, plan_.num_ladders, std::min(times, half));
      const LadderReport report = walk(half, &draws);
      draws.group = per_ladder_;
      draws.round_trips = report.round_trips;
      draws.certified = report.round_trips >= LadderPlan::enough_round_trips * plan_.num_ladders;
      draws.how = fmt::format("{} ladders of {} temperatures, {} round trip{}", plan_.num_ladders, rungs(),
                              report.round_trips, report.round_trips == 1 ? "" : "s");
      if (draws.certified || walked + 2 * half > plan_.max_steps()) return draws;
    }
  }

 private:
  Index rungs() const { return ladder_.size(); }

  /// `steps` transitions; the rows and the record of `draws`, where given, are filled, evenly over the time.
  LadderReport walk(Index steps, ModelDraws* draws) {
    LadderReport report = empty_report(ladder_);
    Index kept = 0, recorded = 0;
    for (Index t = 1; t <= steps; ++t) {
      const std::vector<double> differences =
          exchange_neighbors(target_, chains_, chains_.step(), execution_, tally_, report, "a ladder of temperatures");
      if (draws && t * draws->record.num_times / steps > recorded) record(draws->record, recorded++, differences);
      sampler_.advance(target_, chains_, 1, execution_.part("sampler"));
      execution_.executor.check_stop();
      if (execution_.display)
        execution_.display->progress(static_cast<double>(++walked_) / static_cast<double>(plan_.max_steps()), "");
      if (draws && t * per_ladder_ / steps > kept) keep(draws->rows, kept++);
    }
    return report;
  }
  void keep(Chains& rows, Index nth) const {
    Index ladder = 0;
    for (Index r = 0; r < chains_.size(); ++r)
      if (chains_.rung()[r] == 0)
        rows.copy_rows(target_.model.layout().all(), {chains_, r, r + 1}, ladder++ * per_ladder_ + nth);
  }

  /// An exchange leaves the law of each rung as it is: what was found before it counts at the rungs after it.
  void record(LadderRecord& of, Index nth, const std::vector<double>& differences) const {
    for (Index r = 0; r < chains_.size(); ++r) of.at(chains_.rung()[r], r / rungs())[nth] = differences[r];
  }

  Target target_;
  const LadderPlan& plan_;
  Index per_ladder_;
  Sampler& sampler_;
  Chains chains_;
  const Execution& execution_;
  ExchangeTally tally_;
  Index walked_ = 0;
  std::vector<double> ladder_;  ///< from the target's β down
};

}  // namespace

ModelDraws draw_by_ladders(const Target& target, const LadderPlan& plan, Index num_rows, Sampler& sampler, Chains start,
                           const Execution& execution) {
  return Ladders(target, plan, num_rows, sampler, std::move(start), execution).run();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
