#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/inference/ladder_record.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Rows that follow p(x) ∝ exp(−β E(x)), and what makes one believe it.
struct ModelDraws {
  Chains rows;
  Index group = 1;                      ///< neighbors that come from one ladder, and are independent of others only
  bool certified = false;               ///< exact draws, or ladders each of which made enough round trips
  std::uint64_t round_trips = 0;        ///< of all ladders
  std::uint64_t least_round_trips = 0;  ///< of the ladder that made the fewest
  /// As many other draws, for what would lean to `rows` if it were fitted to them: independent ones where draws are exact; of
  /// ladders those of the half before, with which the first of `rows` have something in common and the others next to nothing.
  Chains others;
  LadderRecord record;  ///< of ladders
  std::string how;      ///< "exact draws"; "10 ladders of 40 temperatures, 25 round trips"

  /// What is said of ladders that are not certified: `how`, and what is needed.
  std::string shortage() const;
};

/// Where ladders begin: all as they are given; or every other one anew, when half the steps that are not used are made, with
/// the row of the lowest D = E − E₀ that any ladder met, at each of its rungs. What lies low has then too small a share in
/// the ones and too large a share in the others until they have found it, which can be seen (object_to_starts).
enum class LadderStart { as_given, apart };

struct LadderPlan {
  std::vector<double> betas;  ///< from 0 up to the target's
  LadderStart start = LadderStart::as_given;
  Index num_ladders = 10;
  Index num_steps = 1000;  ///< transitions at least; the first half is not used
  /// Than usual, where log Z is told from the record, which then grows as the walk does (recorded_times); 0: it is told otherwise.
  double longer = 0.0;
  /// How many times as many steps are made, at most, where there are too few round trips after `num_steps`.
  static constexpr Index most_times_longer = 8;
  Index max_steps() const { return most_times_longer * num_steps; }
  /// The walk is then made so many times as long again, at most, where round trips, whose number grows as the steps do, are
  /// foreseen to be enough by its end.
  Index times_longer_for_few_more = 1;
  /// Round trips of each single ladder in the half that is used, from which on the draws are certified: so often has a row come
  /// from the far end, where nothing of what it was is left. With four, glasses at low temperatures pass whose ladders have not
  /// yet found the shares of what lies low; by a mean over ladders, one that stands still passes beside others that do not.
  static constexpr std::uint64_t enough_round_trips = 10;
};

/// `num_rows` draws of the target by parallel tempering, equally many of each ladder, spread over the used half of its time.
ModelDraws draw_by_ladders(const Target& target, const LadderPlan& plan, Index num_rows, Sampler& sampler, Chains start,
                           const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
