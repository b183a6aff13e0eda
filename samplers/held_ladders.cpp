#include <harmonium/samplers/held_ladders.hpp>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void check_held_alike(const HeldMask& held, const Layout& layout, const Chains& chains, Index rungs,
                      std::string_view who) {
  for (const LayerId l : layout.ids()) {
    const MatrixView<const std::uint8_t> units = held.units(l, 0, chains.size());
    if (!held.holds(l) && units.empty()) continue;
    const ConstMatrixRef x = chains.read(l);
    const Index width = layout[l].unit->width();
    for (Index r = 0; r < chains.size(); ++r) {
      const Index first = r / rungs * rungs;
      for (Index c = 0; c < x.cols; ++c) {
        const bool here = held.holds(l) || units(r, c / width) != 0;
        const bool there = held.holds(l) || units(first, c / width) != 0;
        if (here == there && (!here || x(r, c) == x(first, c))) continue;
        throw CapabilityError(
            fmt::format("{}: rows {} and {} of one ladder hold different units or values of layer '{}'. Give all {} "
                        "rows of a logical chain the same.",
                        who, first, r, layout[l].name, rungs));
      }
    }
  }
}

std::optional<HeldMask> held_of_ladders(const HeldMask* held, Index rows, Index rungs) {
  if (!held) return {};
  std::vector<Index> first;
  for (Index r = 0; r < rows; r += rungs) first.push_back(r);
  return held->of_rows(first);
}

void check_tally(const StateArchive& archive, const ExchangeTally& tally) {
  for (Index k = 0; k < tally.tries.size(); ++k)
    if (!(tally.rejected[k] >= 0.0) || tally.rejected[k] > static_cast<double>(tally.tries[k]))
      archive.refuse("rejected", fmt::format("has {} of {} exchanges of rungs {} and {}", tally.rejected[k],
                                             tally.tries[k], k, k + 1));
  for (const std::uint8_t end : tally.last_end)
    if (end > ExchangeTally::far_end)
      archive.refuse("last_end", fmt::format("holds {}, where {} is the most", end, int{ExchangeTally::far_end}));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
