#pragma once

#include <cstdint>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether a model is as likely to be in −x as in x, all units of all layers changing sign together. What changes sign with them, such
/// as the magnetization, then has a mean of 0; and where a sampler goes by energies alone, which of x and −x chains are in tells nothing
/// of what does not: its series are those of a chain of pairs {x, −x}, however seldom chains turn over whole.
enum class FlipSymmetry : std::uint8_t { none, exact };

/// By its parameters and its units: exact of units of finitely many values that lie symmetrically about 0, without fields (no bias other
/// than 0), whose couplings and curvatures are all else there is. A plugin's energy is besides asked of some states and their flips.
FlipSymmetry flip_symmetry_of(const EnergyModel& model);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
