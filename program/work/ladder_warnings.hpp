#pragma once

#include <optional>
#include <string>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/execution/display.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether rungs k and k + 1 were to exchange, and did so in fewer than a twentieth of the times.
bool is_gap(const LadderReport& ladder, Index k);
/// Whether there is a place where a ladder does not connect its temperatures, or hardly.
bool has_gaps(const LadderReport& ladder);
/// Warns of each of them; `remedy` is a sentence, told once.
void warn_of_gaps(const LadderReport& ladder, Display& display, const std::string& remedy = "Add rungs between.");

/// What to do about a ladder with such gaps, by the option of `sampler`, the table of every option of what has the ladder; nothing
/// where there are none.
std::optional<std::string> advice_on_gaps(const LadderReport& ladder, const Value& sampler);

/// Warns where rows came back to the target by way of the last rung less than once a ladder, or ten times in all: each such round
/// trip brings a state that is independent of the last one.
void warn_of_few_round_trips(const LadderReport& ladder, Index num_ladders, Display& display);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
