#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/program/work/findings.hpp>

namespace harmonium {
inline namespace v1 {

/// With six decimals, and no sign where these are all 0; "-" of a figure that is absent.
std::string figure_words(const std::optional<double>& v);

/// ", between 1.5 and 1.7 (95 %)", or of a figure that is not `known` what all that was measured spans, which certifies nothing;
/// empty where it is exact.
std::string interval_words(const std::optional<Interval>& i, bool known);

/// "[low, high]" of an interval, null where there is none.
std::string interval_json(const std::optional<Interval>& i);

/// 95 % of the mean log likelihood over rows, as of rows that were drawn at random, with that of log Z where it is estimated.
std::optional<Interval> rows_interval(const Evaluation& e);

/// "at beta = 0.5 (T = 2)".
std::string beta_words(double beta);

/// Of which states the energy is the lowest.
const char* ground_state_words(const Evaluation& e);

/// Remarks under a table, as paragraphs, each once; empty where there is none.
std::string remarks_text(const std::vector<std::string>& remarks);

/// Why figures are absent that are always shown, or that the model offers; those of the energy are of a model alone.
std::vector<std::pair<std::string, std::string>> reasons_of_lines(const Evaluation& e);

}  // namespace v1
}  // namespace harmonium
