#pragma once

#include <cstdint>

#include <harmonium/framework/core/state_archive.hpp>
#include <harmonium/framework/inference/replica_exchange.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Where a sampler that exchanges rows along a ladder of its own stands: how long it has adapted, what exchanges came to in this
/// round, and which chains, at which step, that is about.
struct LadderProgress {
  std::uint64_t age = 0;  ///< transitions made while adapting
  ExchangeTally tally;    ///< of this round; and for round trips, which end a row was at last
  std::uint64_t next_step = 0;
  std::uint32_t first_chain = 0;

  explicit LadderProgress(Index rungs) : tally(rungs) {}
  /// Other chains than those of the last call have made no part of a round trip yet.
  void follow(const Chains& chains);
  /// Those of the next call are other ones, whatever their step.
  void begin_anew() { tally.last_end.clear(); }
  /// The age at which the current round of adapting ends, of `adapting` transitions in all.
  std::uint64_t round_end(std::uint64_t adapting) const;
  /// Its fields, whose names are those of a checkpoint. What is loaded is not checked (check_tally).
  void state(StateArchive& archive);
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
