#include <harmonium/program/work/local_files.hpp>

#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/program/work/temperature_fields.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// ",y,x" of a site: the last axis changes fastest.
std::string place_fields(std::uint64_t site, const std::vector<std::uint64_t>& grid) {
  std::string fields;
  for (std::size_t axis = grid.size(); axis > 0; --axis) {
    fields.insert(0, fmt::format(",{}", site % grid[axis - 1]));
    site /= grid[axis - 1];
  }
  return fields;
}

/// Whether a unit has more numbers than one.
bool has_numbers(const Observation& found) {
  const std::vector<ObservedUnit>& units = found.temperatures.front().local.units;
  return units.size() > found.num_units;
}

}  // namespace

std::string units_csv(const Observation& found) {
  const bool several = has_numbers(found), sites = found.units == "sites";
  const bool letters = several && sites && !found.letters.empty();
  std::string text = temperature_names + std::string(",unit");
  for (std::size_t axis = 0; axis < found.grid.size(); ++axis) text += fmt::format(",axis_{}", axis);
  if (several) text += sites ? ",state" : ",column";
  if (letters) text += ",letter";
  text += sites ? ",share,error,too_short\n" : ",mean,error,too_short\n";
  for (const ObservedTemperature& t : found.temperatures)
    for (const ObservedUnit& u : t.local.units)
      fmt::format_to(std::back_inserter(text), "{},{}{}{}{},{},{},{}\n", temperature_fields(t.beta), u.unit,
                     place_fields(u.unit, found.grid), several ? fmt::format(",{}", u.number) : "",
                     letters ? fmt::format(",{}", found.letters.at(u.number)) : "", u.value, u.error,
                     u.long_enough ? 0 : 1);
  return text;
}

std::string pairs_csv(const Observation& found) {
  std::string text = fmt::format("{},i,j,{},error,too_short,connected,connected_error,connected_too_short\n",
                                 temperature_names, found.units == "sites" ? "pair_delta" : "pair_correlation");
  for (const ObservedTemperature& t : found.temperatures)
    for (const ObservedPair& p : t.local.pairs)
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{}\n", temperature_fields(t.beta), p.i, p.j,
                     p.value, p.error, p.long_enough ? 0 : 1, p.connected, p.connected_error,
                     p.connected_long_enough ? 0 : 1);
  return text;
}

std::string frequencies_csv(const Observation& found) {
  const bool letters = !found.letters.empty();
  std::string text = fmt::format("{},i,j,state_a,state_b{},f,error,too_short\n", temperature_names,
                                 letters ? ",letter_a,letter_b" : "");
  for (const ObservedTemperature& t : found.temperatures)
    for (const ObservedFrequency& f : t.local.frequencies)
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{}{},{},{},{}\n", temperature_fields(t.beta), f.i, f.j,
                     f.state_i, f.state_j,
                     letters ? fmt::format(",{},{}", found.letters.at(f.state_i), found.letters.at(f.state_j)) : "",
                     f.value, f.error, f.long_enough ? 0 : 1);
  return text;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
