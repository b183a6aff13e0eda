#pragma once

#include <string>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/program/work/observation.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A row for each temperature and unit, counted from 0: its mean, and its place on the grid where there is one; of sites a row for each
/// state too, with how often the site is in it.
std::string units_csv(const Observation& found);
/// A row for each temperature and pair.
std::string pairs_csv(const Observation& found);
/// A row for each temperature, pair and two states: how often the pair is in these. Sites are counted from 0, as in the other tables.
std::string frequencies_csv(const Observation& found);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
