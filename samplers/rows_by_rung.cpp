#include <harmonium/samplers/rows_by_rung.hpp>

#include <utility>

namespace harmonium {
inline namespace HARMONIUM_ABI {

RowsByRung::RowsByRung(const Layout& layout, const Chains& chains, Index rungs, std::string_view who)
    : layout_(layout), rungs_(rungs) {
  const Index ladders = chains.size() / rungs;
  for (Index k = 0; k < rungs; ++k) {
    rows_.emplace_back(layout, ladders, chains.first_chain() / static_cast<std::uint32_t>(rungs));
    rows_.back().set_step(chains.step());
  }
  for (Index ladder = 0; ladder < ladders; ++ladder) {
    const std::vector<Index> own = rows_by_rung(chains, ladder * rungs, rungs, who);
    for (Index k = 0; k < rungs; ++k) rows_[k].copy_rows(layout.all(), {chains, own[k], own[k] + 1}, ladder);
    places_.insert(places_.end(), own.begin(), own.end());
  }
}

MachineLadder RowsByRung::ladder(std::vector<const EnergyModel*> machines, const HeldMask* held) {
  MachineLadder made(std::move(machines), held, std::move(rows_));
  for (Index i = 0; i < places_.size(); ++i) made.set_identity(i % rungs_, i / rungs_, places_[i]);
  return made;
}

void RowsByRung::put_back(const MachineLadder& from, Chains& chains) const {
  for (Index k = 0; k < rungs_; ++k)
    for (Index ladder = 0; ladder < from.num_ladders(); ++ladder) {
      const Index row = from.identity(k, ladder);
      chains.copy_rows(layout_.all(), {from.rows(k), ladder, ladder + 1}, row);
      chains.rung()[row] = static_cast<std::uint32_t>(k);
    }
  chains.set_step(from.rows(0).step());
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
