#pragma once

#include <optional>
#include <string_view>

#include <harmonium/framework/inference/replica_exchange.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Throws CapabilityError, naming `who`, where rows of one logical chain hold different things: their laws would differ by more
/// than their rungs.
void check_held_alike(const HeldMask& held, const Layout& layout, const Chains& chains, Index rungs,
                      std::string_view who);

/// What is held of each logical chain, all of whose rows hold the same; `rows` in all. None where nothing is held.
std::optional<HeldMask> held_of_ladders(const HeldMask* held, Index rows, Index rungs);

/// Throws DataError where a tally that was loaded is none that exchanges leave.
void check_tally(const StateArchive& archive, const ExchangeTally& tally);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
