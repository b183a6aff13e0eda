#include <harmonium/program/observation_text.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/cli/text.hpp>
#include <harmonium/framework/diagnostics/number_with_error.hpp>
#include <harmonium/program/observation_headings.hpp>
#include <harmonium/program/observation_length.hpp>
#include <harmonium/program/observation_log_z.hpp>
#include <harmonium/program/observation_table.hpp>
#include <harmonium/program/observation_times.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

const ObservedNumber* number_named(const ObservedTemperature& t, const std::string& name) {
  for (const auto* numbers : {&t.numbers, &t.local.squares})
    if (const auto found = std::ranges::find(*numbers, name, &ObservedNumber::name); found != numbers->end())
      return &*found;
  const auto other =
      std::ranges::find(t.correlations, name, [](const ObservedCorrelation& c) { return c.number.name; });
  return other == t.correlations.end() ? nullptr : &other->number;
}

/// "-1.4142(12)", two digits of the error, with a question mark where that cannot be believed; "-1.4142136" where it is exact, and 0 what
/// is no more than rounding.
std::string value_cell(const Observation& found, const ObservedNumber& n) {
  constexpr double rounding = 1e-12;
  if (found.num_states && std::abs(n.value) <= rounding * n.terms) return "0 ";
  if (found.num_states) return std::isfinite(n.value) ? fmt::format("{:.8g} ", n.value + 0.0) : "- ";
  return NumberWithError{n.value, n.error}.text() + (n.long_enough ? " " : "?");
}

using Cell = std::string (*)(const Observation&, const ObservedNumber&);

std::string time_cell(const Observation&, const ObservedNumber& n) { return time_text(n) + " "; }

std::string table_of(const Observation& found, const std::vector<std::string>& wanted, bool with_exchanges,
                     Cell cell = value_cell) {
  const ObservedTemperature& first = found.temperatures.front();
  std::vector<std::vector<std::string>> rows{{found.shown.name()}};
  for (const std::string& name : wanted)
    if (number_named(first, name)) rows[0].push_back(heading_of(found, name) + " ");
  if (rows[0].size() == 1) return "";
  const bool exchanges = with_exchanges && std::ranges::any_of(found.temperatures, [](const ObservedTemperature& t) {
                           return t.exchange_rate.has_value();
                         });
  if (exchanges) rows[0].emplace_back("exchanged");
  for (const ObservedTemperature& t : found.temperatures) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(fmt::format("{:.6g}", found.shown.value(t.beta)));
    for (const std::string& name : wanted)
      if (const ObservedNumber* n = number_named(t, name)) row.push_back(cell(found, *n));
    if (exchanges) row.push_back(t.exchange_rate ? fmt::format("{:.2f}", *t.exchange_rate) : "");
  }
  return "\n" + aligned(rows);
}

/// Of each axis the correlations at distances 1, 2, 4, …
std::vector<std::string> correlation_columns(const ObservedTemperature& t, std::uint64_t axis) {
  std::vector<std::string> names;
  for (const ObservedCorrelation& c : t.correlations)
    if (c.axis == axis && std::has_single_bit(c.distance)) names.push_back(c.number.name);
  return names;
}

std::string correlations_text(const Observation& found) {
  const ObservedTemperature& first = found.temperatures.front();
  std::string text;
  const std::uint64_t axes = first.correlations.empty() ? 0 : first.correlations.back().axis + 1;
  for (std::uint64_t axis = 0; axis < axes; ++axis)
    if (const auto columns = correlation_columns(first, axis); !columns.empty())
      text +=
          fmt::format("\nalong axis {} of {}, at a distance in sites:{}", axis, axes, table_of(found, columns, false));
  return text;
}

/// Of what samplers are mostly compared by, at each temperature.
std::string times_text(const Observation& found) {
  return fmt::format(
      "\nautocorrelation time ± error in steps, each {} (tau = 1 + 2 sum rho):{}", found.step,
      table_of(found, {"energy", "magnetization", "abs_magnetization", "mean", "potts_order", "overlap", "abs_overlap"},
               false, time_cell));
}

/// Of how many units and pairs there are means, and where.
std::string local_text(const Observation& found) {
  if (found.local.empty()) return "";
  std::size_t doubtful = 0;
  for (const ObservedTemperature& t : found.temperatures) {
    doubtful += static_cast<std::size_t>(std::ranges::count(t.local.units, false, &ObservedUnit::long_enough));
    doubtful += static_cast<std::size_t>(std::ranges::count(t.local.pairs, false, &ObservedPair::long_enough));
  }
  const auto pairs = found.temperatures.front().local.pairs.size();
  const bool frequencies = !found.temperatures.front().local.frequencies.empty();
  return fmt::format("means of each of {} units and {} pairs{}: {}{}{}\n", found.num_units, pairs,
                     found.local == "all" ? "" : " that couple",
                     found.files.empty() ? "--output DIR writes them"
                     : pairs > 0         ? "units.csv, pairs.csv"
                                         : "units.csv",
                     frequencies ? ", frequencies.csv" : "",
                     doubtful > 0 ? fmt::format("; {} with errors that are not to be believed", doubtful) : "");
}

/// What was done, in a line.
std::string way_text(const Observation& found) {
  if (found.num_states) return found.method + ": every number is exact, but for rounding\n";
  return fmt::format("{}; {} chains at each temperature, {} steps measured of each after {}\n", found.method,
                     found.num_chains, found.num_steps, found.warm_up);
}

/// Where more is to be had of a model of few states.
std::string few_states_text(const Observation& found) {
  if (found.num_states) {
    std::string text = "\n";
    if (found.clamp.empty()) text += "log Z, entropy and ground state: 'harmonium evaluate', with --betas\n";
    if (!number_named(found.temperatures.front(), "overlap"))
      text += "no overlap: it is summed of spins, of levels about 0 where that takes seconds, and of sites\n";
    return text;
  }
  if (!found.few_states) return "";
  return fmt::format("of so few states --exact has all of this without errors{}\n",
                     found.clamp.empty() ? "; 'harmonium evaluate', with --betas, log Z and the ground state" : "");
}

/// What S(0) is of.
const char* at_zero_words(const Observation& found) { return found.flips ? "n <m^2>" : "n (<m^2> - <m>^2)"; }

/// Why a correlation length is missing, and what it is of where that is another number.
std::string no_length_text(const Observation& found) {
  for (const ObservedTemperature& t : found.temperatures) {
    const ObservedNumber* length = number_named(t, "correlation_length");
    if (!length || std::isfinite(length->value)) continue;
    const ObservedNumber *at_least = number_named(t, "structure_factor"),
                         *squares = number_named(t, "squared_magnetization");
    const double mean = found.flips ? 0.0 : number_named(t, "magnetization")->value;
    const double at_zero = static_cast<double>(found.num_units) * (squares->value - mean * mean);
    const bool below = at_least->value > at_zero;
    // Of spins that are all alike S(k) is 0, and tells no length either.
    if (!below && (found.num_states || at_least->value < 0.1 * at_zero)) continue;
    const char* const where = found.checkerboard ? "; see m_s"
                              : number_named(t, "staggered_magnetization")
                                  ? " but of another wave vector, which\n    need not be that of m_s"
                                  : " but of another wave vector";
    return fmt::format("xi -: S(0) = {} is {}, as where the order is not uniform{}\n", at_zero_words(found),
                       below ? "below S(k)" : "above S(k) by less than two errors", where);
  }
  if (found.flips || !number_named(found.temperatures.front(), "correlation_length")) return "";
  return fmt::format("xi: by S(0) = {}, as a flip of all units changes the law\n", at_zero_words(found));
}

}  // namespace

std::string observation_text(const Observation& found) {
  std::string text = way_text(found);
  if (!found.clamp.empty()) text += fmt::format("held, and counted: {}\n", fmt::join(found.clamp, ", "));
  text += fmt::format("energy of all N = {} units; the rest of layer '{}', n = {} {}{}; /N and /n: per unit\n",
                      found.num_all_units, found.layer, found.num_units, found.units,
                      found.spins_of_bits ? " s = 2x - 1 of binary units x" : "");
  text += table_of(found, {"energy", "energy_per_unit", "specific_heat"}, true);
  text += table_of(found,
                   {"magnetization", "abs_magnetization", "squared_magnetization", "susceptibility",
                    "abs_susceptibility", "binder_cumulant"},
                   false);
  std::vector<std::string> others{"mean", "mean_square"};
  for (const ObservedNumber& n : found.temperatures.front().numbers)
    if (n.name.starts_with("share_")) others.push_back(n.name);
  others.insert(others.end(), {"potts_order", "potts_susceptibility"});
  text += table_of(found, others, false);
  text += table_of(found,
                   {"overlap", "abs_overlap", "squared_overlap", "spin_glass_susceptibility", "overlap_binder",
                    "pair_correlation", "pair_delta"},
                   false);
  text += correlations_text(found);
  text += table_of(found, {"structure_factor", "correlation_length"}, false) + no_length_text(found);
  text += table_of(found,
                   {"staggered_magnetization", "staggered_abs_magnetization", "staggered_squared_magnetization",
                    "staggered_susceptibility", "staggered_abs_susceptibility", "staggered_binder_cumulant"},
                   false);
  text += table_of(found, {"staggered_structure_factor", "staggered_correlation_length"}, false);
  text += table_of(found, {"edwards_anderson", "link_overlap"}, false);
  text += local_text(found);
  if (!found.num_states) text += times_text(found) + length_text(found);
  text += round_trips_text(found);
  text += log_z_text(found);
  for (const ObservedTemperature& t : found.temperatures)
    if (!t.moves.empty())
      text += fmt::format("{} = {:.6g}: {}\n", found.shown.name(), found.shown.value(t.beta), t.moves);
  text += few_states_text(found);
  if (found.num_pairs == 0)
    text += fmt::format("no correlation of pairs: no two units of layer '{}' couple\n", found.layer);
  else
    text += fmt::format("pairs: the {} that couple{}\n", found.num_pairs,
                        found.temperatures.front().correlations.empty()
                            ? "; --correlations has those of sites of a grid against their distance"
                            : "");
  if (!found.series.empty())
    text += fmt::format("{}: energy and {} of each chain, after {} steps of warm-up, 1 step apart\n", found.series,
                        found.order, found.warm_up);
  for (const std::string& file : found.files) text += file + "\n";
  return text;
}

}  // namespace v1
}  // namespace harmonium
