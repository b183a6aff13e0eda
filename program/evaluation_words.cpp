#include <harmonium/program/evaluation_words.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/cli/text.hpp>
#include <harmonium/program/evaluation_text.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// Whether a figure is one of rows, of which a model alone has none.
bool is_of_rows(std::string_view figure) {
  const std::string_view names[] = {"num_samples", "log_likelihood", "free_energy", "pseudo_log_likelihood",
                                    "reconstruction_error"};
  return std::ranges::find(names, figure) != std::end(names);
}

}  // namespace

std::string figure_words(const std::optional<double>& v) { return v ? fixed_text(*v, 6) : std::string("-"); }

std::string beta_words(double beta) {
  const std::string temperature = beta == 1.0 || beta == 0.0 ? "" : fmt::format(" (T = {:.6g})", 1.0 / beta);
  return fmt::format("at beta = {:.6g}{}", beta, temperature);
}

std::string interval_words(const std::optional<Interval>& i, bool known) {
  if (!i || i->low == i->high) return "";
  if (!std::isfinite(i->low) && !std::isfinite(i->high)) return "";
  const char* of = known ? "(95 %)" : "by what was measured, not certified";
  if (!std::isfinite(i->low)) return fmt::format(", at most {} {}", fixed_text(i->high, 3), of);
  if (!std::isfinite(i->high)) return fmt::format(", at least {} {}", fixed_text(i->low, 3), of);
  return fmt::format(", between {} and {} {}", fixed_text(i->low, 3), fixed_text(i->high, 3), of);
}

std::string interval_json(const std::optional<Interval>& i) {
  return i ? fmt::format("[{}, {}]", json_number(i->low), json_number(i->high)) : "null";
}

std::optional<Interval> rows_interval(const Evaluation& e) {
  constexpr double of_normal = 1.959963984540054;
  if (!e.log_likelihood || !e.rows_error) return {};
  const Interval log_z = e.log_likelihood_interval.value_or(Interval{*e.log_likelihood, *e.log_likelihood});
  return Interval{log_z.low - of_normal * *e.rows_error, log_z.high + of_normal * *e.rows_error};
}

const char* ground_state_words(const Evaluation& e) {
  return e.ground_state_certain ? "of all states" : "the lowest that was met";
}

std::vector<std::pair<std::string, std::string>> reasons_of_lines(const Evaluation& e) {
  auto reasons = e.reasons;
  std::erase_if(reasons, [&](const auto& r) {
    const bool about_classes = r.first == "accuracy" || r.first == "label_log_likelihood";
    return (about_classes && (!e.num_samples || r.second == no_classes)) ||
           ((e.num_samples || e.held) && about_energy(r.first)) || (!e.num_samples && is_of_rows(r.first)) ||
           r.first == "machines_above";  // whose line is a sentence
  });
  for (auto& reason : reasons)
    if (reason.first == "first_machine_log_likelihood") reason.first = "first_machine";  // as its line has it
  return reasons;
}

std::string remarks_text(const std::vector<std::string>& remarks) {
  std::string text;
  for (auto one = remarks.begin(); one != remarks.end(); ++one)
    if (!one->empty() && std::find(remarks.begin(), one, *one) == one) text += wrapped(*one, 0, 110);
  return text.empty() ? text : "\n" + text;
}

bool about_energy(std::string_view figure) {
  return figure == "ground_state_energy" || figure == "mean_energy" || figure == "heat_capacity" || figure == "entropy";
}

}  // namespace v1
}  // namespace harmonium
