#include <harmonium/samplers/ladder_progress.hpp>

#include <fmt/format.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void LadderProgress::follow(const Chains& chains) {
  const bool same =
      tally.last_end.size() == chains.size() && next_step == chains.step() && first_chain == chains.first_chain();
  if (same) return;
  first_chain = chains.first_chain();
  tally.follow(chains);
}

// Rounds end after 1/64, 1/32, …, 1/2 and all of the time for adapting: each is as long as all before it.
std::uint64_t LadderProgress::round_end(std::uint64_t adapting) const {
  for (std::uint64_t part = 64; part > 1; part /= 2)
    if (adapting / part > age) return adapting / part;
  return adapting;
}

void LadderProgress::state(StateArchive& archive) {
  const Index pairs = tally.tries.size(), rungs = pairs + 1;
  archive.field("age", age);
  archive.field("rejected", tally.rejected, pairs);
  archive.field("tries", tally.tries, pairs);
  std::uint64_t rows = tally.last_end.size();
  archive.field("num_rows", rows);
  if (rows % rungs != 0) archive.refuse("num_rows", fmt::format("is {}, and no multiple of {} rungs", rows, rungs));
  archive.field("last_end", tally.last_end, rows);
  archive.field("next_step", next_step);
  archive.field("first_chain", first_chain);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
