#include <fmt/format.h>

#include <harmonium/cli/text.hpp>
#include <harmonium/program/observation_log_z.hpp>
#include <harmonium/program/observation_text.hpp>
#include <harmonium/program/work/temperature_fields.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// The members of an average beside its name. There is no batch time of a number without a series.
std::string number_json(const ObservedNumber& n) {
  const auto& time = n.autocorrelation_time;
  return fmt::format(
      "\"value\": {}, \"error\": {}, \"autocorrelation_time\": {}, \"autocorrelation_time_error\": {}, "
      "\"autocorrelation_time_batches\": {}, \"r_hat\": {}, \"long_enough\": {}",
      json_number(n.value), json_number(n.error), json_number(time ? std::optional(time->value) : std::nullopt),
      json_number(time ? std::optional(time->error) : std::nullopt), json_number(n.batch_time), json_number(n.r_hat),
      n.long_enough);
}

std::string averages_json(const ObservedTemperature& t) {
  std::string numbers;
  for (const auto* all : {&t.numbers, &t.local.squares})
    for (const ObservedNumber& n : *all)
      numbers += fmt::format("{}{}: {{{}}}", numbers.empty() ? "" : ", ", json_string(n.name), number_json(n));
  return numbers;
}

/// Nothing where units and pairs were not asked for, null where there are too many for one object.
std::string local_json(const Observation& found, const ObservedTemperature& t) {
  if (found.local.empty()) return "";
  constexpr std::size_t most = 10000;
  if ((t.local.units.size() + t.local.pairs.size()) * found.temperatures.size() > most)
    return ", \"local_units\": null, \"local_pairs\": null";
  std::string units, pairs;
  for (const ObservedUnit& u : t.local.units)
    units += fmt::format("{}{{\"unit\": {}, \"number\": {}, \"value\": {}, \"error\": {}, \"long_enough\": {}}}",
                         units.empty() ? "" : ", ", u.unit, u.number, json_number(u.value), json_number(u.error),
                         u.long_enough);
  for (const ObservedPair& p : t.local.pairs)
    pairs += fmt::format(
        "{}{{\"i\": {}, \"j\": {}, \"value\": {}, \"error\": {}, \"long_enough\": {}, \"connected\": {}, "
        "\"connected_error\": {}, \"connected_long_enough\": {}}}",
        pairs.empty() ? "" : ", ", p.i, p.j, json_number(p.value), json_number(p.error), p.long_enough,
        json_number(p.connected), json_number(p.connected_error), p.connected_long_enough);
  return fmt::format(", \"local_units\": [{}], \"local_pairs\": [{}]", units, pairs);
}

std::string correlations_json(const ObservedTemperature& t) {
  std::string text;
  for (const ObservedCorrelation& c : t.correlations)
    text += fmt::format("{}{{\"axis\": {}, \"distance\": {}, {}}}", text.empty() ? "" : ", ", c.axis, c.distance,
                        number_json(c.number));
  return text;
}

std::string overlaps_json(const ObservedTemperature& t) {
  std::string overlaps;
  for (const ObservedOverlap& o : t.overlaps)
    overlaps += fmt::format(
        "{}{{\"q_low\": {}, \"q_high\": {}, \"share\": {}, \"error\": {}, \"density\": {}, "
        "\"long_enough\": {}}}",
        overlaps.empty() ? "" : ", ", json_number(o.low), json_number(o.high), json_number(o.share),
        json_number(o.error), json_number(o.density()), o.long_enough);
  return overlaps;
}

std::string clamp_json(const Observation& found) {
  std::string text;
  for (const std::string& clamp : found.clamp) text += (text.empty() ? "" : ", ") + json_string(clamp);
  return text;
}

std::string magnetizations_json(const ObservedTemperature& t) {
  std::string text;
  for (const ObservedMagnetization& m : t.magnetizations)
    text +=
        fmt::format("{}{{\"m\": {}, \"share\": {}}}", text.empty() ? "" : ", ", json_number(m.m), json_number(m.share));
  return text;
}

/// null of a sum over all states, which has no chains.
std::string chains_json(const Observation& found) {
  if (found.num_states)
    return fmt::format(
        "\"num_states\": {}, \"num_chains\": null, \"num_steps\": null, \"warm_up\": null, "
        "\"autocorrelation_time_unit\": null",
        *found.num_states);
  return fmt::format(
      "\"num_states\": null, \"num_chains\": {}, \"num_steps\": {}, \"warm_up\": {}, "
      "\"autocorrelation_time_unit\": {}",
      found.num_chains, found.num_steps, found.warm_up, json_string("steps: " + found.step));
}

}  // namespace

std::string observation_json(const Observation& found) {
  std::string temperatures;
  for (const ObservedTemperature& t : found.temperatures)
    temperatures += fmt::format(
        "{}{{\"beta\": {}, \"temperature\": {}, \"exchange_rate\": {}, {}, \"moves\": {}, \"averages\": {{{}}}, "
        "\"overlaps\": [{}], "
        "\"correlations\": [{}], \"magnetizations\": [{}]{}}}",
        temperatures.empty() ? "" : ", ", json_number(t.beta), json_number(temperature_of(t.beta)),
        json_number(t.exchange_rate), log_z_json(t), json_string(t.moves), averages_json(t), overlaps_json(t),
        correlations_json(t), magnetizations_json(t), local_json(found, t));
  return fmt::format(
      "{{\"method\": {}, \"clamp\": [{}], {}, \"num_all_units\": {}, \"layer\": {}, "
      "\"units\": {}, \"num_units\": {}, \"num_pairs\": {}, \"round_trips\": {}, \"temperatures\": [{}]}}\n",
      json_string(found.method), clamp_json(found), chains_json(found), found.num_all_units, json_string(found.layer),
      json_string(found.units), found.num_units, found.num_pairs,
      found.round_trips ? fmt::format("{}", *found.round_trips) : "null", temperatures);
}

}  // namespace v1
}  // namespace harmonium
