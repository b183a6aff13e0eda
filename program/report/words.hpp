#pragma once

#include <optional>
#include <string>

#include <harmonium/program/work/findings.hpp>

namespace harmonium {
inline namespace v1 {

// Numbers and reasons as they stand in a report.

/// Four digits.
std::string number_words(double value);
/// "2 h 5 min", "12.3 s".
std::string time_words(double seconds);
/// "-142.517, exactly", "-84.64 between -84.75 and -84.52 (95 %)", in nats a row.
std::string estimate_words(double value, const std::optional<Interval>& interval);
/// ends of a 95 % interval: "84.52 to 84.75"; "at least 84.52" where one end is open; "exact" where they are the same.
std::string interval_range(const std::optional<Interval>& interval);
/// Why a figure of `evaluate` is absent; empty where nothing is said.
std::string absent_reason(const Evaluation& evaluation, const std::string& figure);

/// With a capital at its beginning and a full stop at its end.
std::string sentence(std::string text);
std::string without_stop(std::string text);
/// "The run" as "the run".
std::string in_sentence(std::string name);

}  // namespace v1
}  // namespace harmonium
