#pragma once

#include <functional>
#include <memory>

#include <harmonium/framework/model/term.hpp>
#include <harmonium/framework/testing/report.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// Holds what a term says of itself to its energy, on random configurations of `layout` and random parameters: its fields
/// against energies of a unit's values, in both precisions and for any columns; its gradient against differences by θ, at
/// states and at means of a law that factorizes; which layers and which units it couples; its copy; any number of threads.
/// `make` makes one that is not declared yet. The energy is what everything else is held against: it has no judge here.
void check_term(const std::function<std::unique_ptr<EnergyTerm>()>& make, const Layout& layout, CheckReport& report);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
