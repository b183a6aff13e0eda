#pragma once

#include <vector>

#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/inference/replica_exchange.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Parallel tempering of several ladders of rows at once, between a target and the law at β = 0 (replica_exchange.hpp).
class Ladders {
 public:
  /// `betas`: of each rung, the target's first, descending; rounded as kernels take them. `chains`: so many rows of each ladder,
  /// one at each rung.
  Ladders(Target target, std::vector<double> betas, Chains chains);
  Ladders(const Ladders&) = delete;
  Ladders& operator=(const Ladders&) = delete;

  const Target& target() const { return target_; }
  const std::vector<double>& betas() const { return betas_; }
  Index rungs() const { return betas_.size(); }
  Index num_ladders() const { return chains_.size() / rungs(); }
  const Chains& chains() const { return chains_; }

  /// At which end of its ladder each row was last: what a round trip is told by (ExchangeTally).
  const std::vector<std::uint8_t>& last_ends() const { return tally_.last_end; }
  void set_last_ends(std::vector<std::uint8_t> ends) { tally_.last_end = std::move(ends); }

  /// Begins a ladder anew, with row `from` of `other` at each of its rungs: no part of a round trip is made.
  void restart(Index ladder, const Chains& other, Index from);

  /// Round trips in the last walk of the ladder that made the fewest.
  std::uint64_t least_round_trips() const { return tally_.least_trips(); }

  /// `steps` times exchanges of neighbors and a transition. After the exchanges of step t, counted from 1, `exchanged(t, D)` is
  /// told D = E − E₀ of each row; after the transition `moved(t)` is called.
  LadderReport walk(Index steps, Sampler& sampler, const Execution& execution,
                    FunctionRef<void(Index, const std::vector<double>&)> exchanged, FunctionRef<void(Index)> moved);

 private:
  std::vector<double> betas_;
  Target target_;
  Chains chains_;
  ExchangeTally tally_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
