#include <harmonium/program/observation_length.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include <harmonium/cli/text.hpp>
#include <harmonium/framework/diagnostics/two_digits.hpp>
#include <harmonium/framework/diagnostics/windowed_time.hpp>
#include <harmonium/program/observation_headings.hpp>
#include <harmonium/program/observation_times.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr double most_r_hat = 1.05;

/// Calls see(t, n) for every average of every temperature, correlations among them: they decide whether series are long enough.
template <class See>
void for_each_average(const Observation& found, const See& see) {
  for (const ObservedTemperature& t : found.temperatures) {
    for (const ObservedNumber& n : t.numbers) see(t, n);
    for (const ObservedCorrelation& c : t.correlations) see(t, c.number);
  }
}

/// Averages that are marked: all, or those that do not need the sign or the state of the order.
enum class Marked : std::uint8_t { all, even };

/// What is known of the steps that make long enough what is marked.
struct StepsWanted {
  double steps = 0.0;
  bool resolved = true;  ///< whether the series tell the time that they follow from
};

bool few_round_trips(const Observation& found) {
  return found.round_trips && *found.round_trips < found.least_round_trips;
}

/// Margin times as many of the longest time of what is marked as there should be, and of round trips. By the means of stretches of
/// n/8 of n steps a time is known to some 15 to 25 %, and a slow mode's τ looks like τ (1 − 4 τ/n) where it is short beside them (Meketon &
/// Schmeiser 1984).
StepsWanted steps_wanted(const Observation& found, Marked marked) {
  constexpr double margin = 1.5, least_resolved = 20.0;
  const auto steps = static_cast<double>(found.num_steps), times = static_cast<double>(found.least_times);
  double longest = 1.0;
  bool apart = false;
  for_each_average(found, [&](const ObservedTemperature&, const ObservedNumber& n) {
    if (n.long_enough || (n.odd && marked == Marked::even)) return;
    longest = std::fmax(longest, n.batch_time);  // which passes over what is no number
    apart |= n.r_hat > most_r_hat;
  });
  // Chains that differ, or stood still, have a time that is too long for the series to show.
  const bool seldom = few_round_trips(found);
  const bool resolved = !apart && (seldom || times * longest > steps) && least_resolved * longest <= steps;
  if (!resolved) longest = std::max(longest, steps / least_resolved);
  const double share = std::min(longest / steps, 1.0 / least_resolved);
  StepsWanted wanted{margin * times * longest * 2.0 / (1.0 + std::sqrt(1.0 - 16.0 * share)), resolved};
  wanted.steps = std::max(wanted.steps, static_cast<double>(least_steps_of_errors));
  if (!seldom) return wanted;
  const double trips = std::max(1.0, static_cast<double>(*found.round_trips));
  wanted.steps = std::max(wanted.steps, margin * steps * static_cast<double>(found.least_round_trips) / trips);
  wanted.resolved &= *found.round_trips >= found.num_chains;
  return wanted;
}

/// What of the order needs its sign or its state, by the headings of the tables.
const char* odd_averages(const Observation& found) {
  if (found.units == "sites") return "those of the order's state (shares of states, averages of q)";
  if (found.units != "spins") return "those of the sign (the mean, <q>)";
  const bool staggered = std::ranges::any_of(found.temperatures.front().numbers, [](const ObservedNumber& n) {
    return n.name == "staggered_magnetization" && n.odd;
  });
  return staggered ? "those of the sign (<m>, chi/n, <m_s>, chi_s/n, <q>)" : "those of the sign (<m>, chi/n, <q>)";
}

/// That all averages need so many steps, and the even ones fewer.
std::string longer_text(const Observation& found, double of_all, double of_even) {
  const double all = up_to_two_digits(of_all), even = up_to_two_digits(of_even);
  if (even >= all) return fmt::format("Give --steps {:.0f} or more", all);
  return fmt::format("Give --steps {:.0f} or more for all but {},\n    {:.0f} for these too", even, odd_averages(found),
                     all);
}

/// What makes series long enough, which is `longer` ones. Chains forget where they are by way of hotter temperatures, if they exchange
/// them.
std::string remedy(const Observation& found, const std::string& longer) {
  const bool own_ladder = found.method.ends_with(" parallel_tempering");
  if (found.gaps_told)
    return fmt::format("Add {} between those that hardly exchange chains, before more steps help.",
                       own_ladder                   ? "rungs (sampler.num_rungs)"
                       : found.shown.by_temperature ? "temperatures"
                                                    : "betas");
  if (own_ladder) return longer + ".";
  if (!found.round_trips)
    return fmt::format(
        "{}, or hotter temperatures,\n    which chains then exchange: {}, or --sampler parallel_tempering, which has "
        "its "
        "own.",
        longer,
        fmt::format(fmt::runtime(found.sampler_named ? "{} without --sampler" : "{}"),
                    found.shown.by_temperature ? "higher --temperatures" : "smaller --betas"));
  const auto slow = [&](const ObservedNumber& n) {
    return n.r_hat > most_r_hat ||
           n.batch_time * static_cast<double>(found.least_times) > static_cast<double>(found.num_steps);
  };
  if (std::ranges::any_of(found.temperatures.front().numbers, slow))
    return longer + (found.shown.by_temperature ? ", or add hotter --temperatures."
                                                : ", or add hotter temperatures\n    (smaller betas, in --betas).");
  return longer + ", or temperatures between.";
}

/// What of the order is slow where only that is.
const char* order_text(const Observation& found) {
  return found.units == "sites"
             ? "    They need which state the order is in, which a permutation of all states changes while E stays: "
               "nothing else waits for it.\n"
             : "    They need the sign of the order, which a flip of all spins changes while E stays: nothing else "
               "waits for it.\n";
}

/// Why averages are marked, from "series of" on.
std::string reasons_for_marks(const Observation& found) {
  if (found.num_steps < least_steps_of_errors)
    return fmt::format("series of fewer than {} steps,\n    which are a record of what chains did, tell none.\n",
                       least_steps_of_errors);
  return fmt::format(
      "series of less than {} times the longest\n"
      "    autocorrelation time at their temperature, chains that differ (R-hat above 1.05), or chains that stood "
      "still.\n",
      found.least_times);
}

/// What is marked, why, and what to do about it.
std::string doubts_text(const Observation& found, std::size_t doubtful) {
  bool only_odd = true;
  for_each_average(found,
                   [&](const ObservedTemperature&, const ObservedNumber& n) { only_odd &= n.long_enough || n.odd; });
  const StepsWanted all = steps_wanted(found, Marked::all);
  const StepsWanted even = only_odd ? all : steps_wanted(found, Marked::even);
  const std::string longer = longer_text(found, all.steps, even.steps);
  return fmt::format(
      "? : {} of the averages have errors that are not to be believed: {}{}    {}\n{}", doubtful,
      reasons_for_marks(found), only_odd ? order_text(found) : "", remedy(found, longer),
      all.resolved
          ? ""
          : fmt::format("    So short a series does not show the {} itself, and a longer one may ask for more.\n",
                        even.resolved ? "longer time" : "time"));
}

std::string heading_with_axis(const Observation& found, const ObservedTemperature& t, const ObservedNumber& n) {
  std::string heading = heading_of(found, n.name);
  for (const ObservedCorrelation& c : t.correlations)
    if (&c.number == &n) return fmt::format("{} along axis {}", heading, c.axis);
  return heading;
}

/// The times of all other averages of that temperature but correlations, by which samplers compare. <E>/N has that of <E>.
std::string other_times(const Observation& found, const ObservedTemperature& t, const ObservedNumber& slowest) {
  constexpr char no_break = '\x1f';
  std::string list;
  for (const ObservedNumber& n : t.numbers) {
    if (&n == &slowest || n.name == "energy_per_unit") continue;
    std::string one = fmt::format("{} {}", heading_of(found, n.name), time_text(n));
    std::ranges::replace(one, ' ', no_break);
    list += (list.empty() ? "there also: " : ", ") + one;
  }
  if (list.empty()) return "";
  list = wrapped(list, 4, 110);
  std::ranges::replace(list, no_break, ' ');
  return list;
}

/// By which times are compared: one that is not known is that of batches, which is long where the series are too short.
double known_or_batch_time(const ObservedNumber& n) {
  return n.autocorrelation_time ? n.autocorrelation_time->value : n.batch_time;
}

}  // namespace

std::string length_text(const Observation& found) {
  const ObservedTemperature* where = nullptr;
  const ObservedNumber* slowest = nullptr;
  std::size_t doubtful = 0;
  for_each_average(found, [&](const ObservedTemperature& t, const ObservedNumber& n) {
    doubtful += n.long_enough ? 0 : 1;
    if (slowest && known_or_batch_time(n) <= known_or_batch_time(*slowest)) return;
    slowest = &n;
    where = &t;
  });
  const std::string text =
      fmt::format(
          "\nlongest autocorrelation time: {} {} ({} at {} = {:.6g})\n", time_text(*slowest),
          fmt::format(fmt::runtime(slowest->autocorrelation_time ? "steps of {}" : "from {} steps"), found.num_steps),
          heading_with_axis(found, *where, *slowest), found.shown.name(), found.shown.value(where->beta)) +
      other_times(found, *where, *slowest) + unknown_times_text(found);
  if (doubtful > 0) return text + doubts_text(found, doubtful);
  return text + fmt::format(
                    "every series is long enough: {} times the longest autocorrelation time or more, and chains that "
                    "agree\n",
                    found.least_times);
}

std::string round_trips_text(const Observation& found) {
  if (!found.round_trips) return "";
  const std::string text = fmt::format("round trips from the coldest to the hottest: {}", *found.round_trips);
  if (!few_round_trips(found)) return text + "\n";
  bool marked = false;
  for_each_average(found, [&](const ObservedTemperature&, const ObservedNumber& n) { marked |= !n.long_enough; });
  return text + fmt::format(
                    ", fewer than {} of each chain:\n    what is reached by way of the hottest alone was met seldom. "
                    "Until there are as many, series must last\n    {} autocorrelation times{}\n",
                    found.least_round_trips / found.num_chains, 4 * found.least_times,
                    marked && !found.gaps_told ? "; the steps named above make as many" : "");
}

}  // namespace v1
}  // namespace harmonium
