#include <harmonium/framework/inference/model_draws.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/inference/ladder_checks.hpp>
#include <harmonium/framework/inference/ladders.hpp>
#include <harmonium/framework/inference/rungs.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

std::vector<double> descending(std::vector<double> betas) {
  std::ranges::reverse(betas);
  return betas;
}

Chains with_rungs(Chains chains, Index rungs) {
  assign_rungs(chains, rungs);
  return chains;
}

/// Ladders that walk until they have made enough round trips, and the draws that they leave.
class DrawingLadders {
 public:
  DrawingLadders(const Target& target, const LadderPlan& plan, Index num_rows, Sampler& sampler, Chains start,
                 const Execution& execution)
      : plan_(plan),
        most_(plan.max_steps()),
        per_ladder_((num_rows + plan.num_ladders - 1) / plan.num_ladders),
        sampler_(sampler),
        execution_(execution),
        ladders_(target, descending(plan.betas), with_rungs(std::move(start), plan.betas.size())) {}

  /// One half is walked for nothing and the next one used; where a ladder had too few round trips, all so far was for nothing. So it is
  /// once where ladders of one law are at odds: they are settled after it, or it was chance.
  ModelDraws run() {
    const Index first_half = std::max<Index>(plan_.num_steps / 2, per_ladder_);
    Index half = first_half;
    if (plan_.start == LadderStart::apart) move_apart(half);
    ModelDraws before = empty_draws(0);
    bool looked = false;
    walk(half, before);
    for (Index walked = half;; walked += half, half = walked) {
      const Index times_longer = half / first_half;
      const double longer = plan_.longer * static_cast<double>(times_longer);
      ModelDraws draws = empty_draws(recorded_times(ladders_.chains().size(), half, longer));
      draws.others = std::move(before.rows);
      const LadderReport report = walk(half, draws);
      draws.group = per_ladder_;
      draws.round_trips = report.round_trips;
      draws.least_round_trips = ladders_.least_round_trips();
      draws.certified = draws.least_round_trips >= LadderPlan::enough_round_trips;
      draws.how = fmt::format("{} ladders of {} temperatures, {} round trip{}", plan_.num_ladders, ladders_.rungs(),
                              report.round_trips, report.round_trips == 1 ? "" : "s");
      if (walked + 2 * half > most_) most_ = most_for_few_more(walked + half, draws.least_round_trips);
      const bool again = draws.certified && !looked && plan_.start == LadderStart::apart && at_odds(draws.record);
      looked = looked || draws.certified;
      if ((draws.certified && !again) || walked + 2 * half > most_) return draws;
      before = std::move(draws);
      before.record = {};
    }
  }

 private:
  /// Steps that may be made in all, where the later half of `walked` steps saw so many round trips.
  Index most_for_few_more(Index walked, std::uint64_t round_trips) const {
    const Index more = plan_.times_longer_for_few_more * plan_.max_steps();
    const double foreseen = static_cast<double>(round_trips * more) / static_cast<double>(walked);
    return foreseen >= static_cast<double>(LadderPlan::enough_round_trips) ? more : plan_.max_steps();
  }
  ModelDraws empty_draws(Index recorded) const {
    ModelDraws draws;
    draws.rows = Chains(ladders_.target().model.layout(), plan_.num_ladders * per_ladder_);
    draws.record = LadderRecord(ladders_.betas(), plan_.num_ladders, recorded);
    draws.record.starts_apart = plan_.start == LadderStart::apart;
    return draws;
  }
  /// Walks, and then sets every other ladder to the row of the lowest D that was met.
  void move_apart(Index steps) {
    Chains lowest(ladders_.target().model.layout(), 1);
    double least = std::numeric_limits<double>::infinity();
    ladders_.walk(
        steps, sampler_, execution_,
        [&](Index, const std::vector<double>& differences) {
          const auto found = std::ranges::min_element(differences);
          if (!(*found < least)) return;
          least = *found;
          const auto r = static_cast<Index>(found - differences.begin());
          lowest.copy_rows(ladders_.target().model.layout().all(), {ladders_.chains(), r, r + 1}, 0);
        },
        [&](Index) { show(); });
    if (std::isinf(least)) return;
    for (Index ladder = 1; ladder < plan_.num_ladders; ladder += 2) ladders_.restart(ladder, lowest, 0);
  }
  void show() {
    if (!execution_.display) return;
    const Index most = most_ + (plan_.start == LadderStart::apart ? plan_.num_steps / 2 : 0);
    execution_.display->progress(std::min(1.0, static_cast<double>(++walked_) / static_cast<double>(most)), "");
  }
  /// `steps` transitions; the rows and the record of `draws` are filled, evenly over the time.
  LadderReport walk(Index steps, ModelDraws& draws) {
    Index kept = 0, recorded = 0;
    return ladders_.walk(
        steps, sampler_, execution_,
        [&](Index t, const std::vector<double>& differences) {
          if (t * draws.record.num_times / steps > recorded)
            draws.record.add(ladders_.chains(), recorded++, differences);
        },
        [&](Index t) {
          show();
          if (t * per_ladder_ / steps > kept) keep(draws.rows, kept++);
        });
  }
  void keep(Chains& rows, Index nth) const {
    const Chains& chains = ladders_.chains();
    Index ladder = 0;
    for (Index r = 0; r < chains.size(); ++r)
      if (chains.rung()[r] == 0)
        rows.copy_rows(ladders_.target().model.layout().all(), {chains, r, r + 1}, ladder++ * per_ladder_ + nth);
  }

  const LadderPlan& plan_;
  Index most_;  ///< steps that may be made
  Index per_ladder_;
  Sampler& sampler_;
  const Execution& execution_;
  Ladders ladders_;
  Index walked_ = 0;
};

}  // namespace

std::string ModelDraws::shortage() const {
  return fmt::format("{}, of which one ladder made {}, and {} of each are needed", how, least_round_trips,
                     LadderPlan::enough_round_trips);
}

ModelDraws draw_by_ladders(const Target& target, const LadderPlan& plan, Index num_rows, Sampler& sampler, Chains start,
                           const Execution& execution) {
  HARMONIUM_ASSERT(plan.start == LadderStart::as_given || !target.held);  // what is held is each row's own
  return DrawingLadders(target, plan, num_rows, sampler, std::move(start), execution).run();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
