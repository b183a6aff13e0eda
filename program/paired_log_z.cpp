#include <harmonium/program/paired_log_z.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/cli/columns.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/execution/part_of_work.hpp>
#include <harmonium/framework/execution/told_once.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/program/evaluation_words.hpp>
#include <harmonium/program/precision.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

bool says_its_data(const std::string& model) {
  const ModelHeader header = read_model_header(model);
  const Value* data = header.config.find("data");
  return data && data->is_table();
}

/// A line of the lower or upper ends of the intervals.
std::vector<std::string> ends_line(const char* name, const PairedLogZ& found, double Interval::*end) {
  std::vector<std::string> line{name};
  for (const auto* interval : {&found.one_interval, &found.other_interval, &found.interval})
    line.push_back(*interval && std::isfinite((**interval).*end) ? fixed_text((**interval).*end, 6) : "-");
  return line;
}

}  // namespace

bool have_no_rows(const EvaluateRequest& request, const std::string& other_model) {
  return !request.names_rows() && !says_its_data(request.model) && !says_its_data(other_model);
}

std::string only_one_with_rows(const EvaluateRequest& request, const std::string& other_model) {
  if (request.names_data()) return "";
  const bool one = says_its_data(request.model), other = says_its_data(other_model);
  return one == other ? "" : one ? request.model : other_model;
}

PairedLogZ evaluate_log_z(const EvaluateRequest& request, const std::string& other_model, const PairedNames& names) {
  ToldOnce once(request.display);
  PartOfWork first(&once, 0.0, 0.5, names.one), second(&once, 0.5, 1.0, names.other);
  const auto found = [&](const std::string& model, double beta, const char* stream, PartOfWork& shown) {
    EvaluateRequest own = request;
    own.model = model;
    own.beta = beta;
    own.own_data = own.first_machine = false;
    own.log_z_alone = own.effort_where_any = true;
    own.stream = stream;
    own.keeps_draws = true;
    if (request.display) own.display = &shown;
    return program(precision_of_model(model)).evaluate(own).whole;
  };
  // Of one seed the two would draw the same numbers, and their errors go together in a way that nobody knows.
  const Evaluation one = found(request.model, names.beta, "evaluate", first),
                   other = found(other_model, names.other_beta, "against", second);
  return compared_log_z(request, {request.model, one, names.beta}, {other_model, other, names.other_beta});
}

std::vector<std::string> advice_of(const PairedLogZ& found, const PairedNames& names) {
  std::vector<std::string> advice;
  if (!found.advice_one.empty()) advice.push_back(fmt::format("{}: {}", names.one, found.advice_one));
  if (!found.advice_other.empty()) advice.push_back(fmt::format("{}: {}", names.other, found.advice_other));
  return advice;
}

std::string paired_log_z_text(const PairedLogZ& found, const PairedNames& names) {
  TableSection section{"", {}};
  section.rows.push_back({"log_z", figure_words(found.one), figure_words(found.other), figure_words(found.difference),
                          found.exact() ? "nats, exact" : "nats"});
  const auto spans = [](const std::optional<Interval>& i) { return i && i->low < i->high; };
  if (spans(found.one_interval) || spans(found.other_interval)) {
    section.rows.push_back(ends_line("from (95 %)", found, &Interval::low));
    section.rows.push_back(ends_line("to (95 %)", found, &Interval::high));
  }
  std::vector<std::pair<std::string, std::string>> reasons;
  if (!found.one) reasons.emplace_back("log_z", fmt::format("{}: {}", names.one, found.why_not_one));
  if (!found.other) reasons.emplace_back("log_z", fmt::format("{}: {}", names.other, found.why_not_other));
  return paired_head(names) + table_text({names.one, names.other, "difference"}, {section}, paired_table_width) +
         reasons_text(reasons) + remarks_text({found.how}) + remarks_text(advice_of(found, names)) +
         "\nDifferences of likelihoods: add --data FILE.\n";
}

std::string log_z_object(const PairedLogZ& found) {
  std::string reasons;
  if (!found.one) reasons = fmt::format("\"model\": {}", json_string(found.why_not_one));
  if (!found.other)
    reasons += fmt::format("{}\"against\": {}", reasons.empty() ? "" : ", ", json_string(found.why_not_other));
  const auto words = [](const std::string& text) { return text.empty() ? "null" : json_string(text); };
  return fmt::format(
      "{{\"model\": {}, \"against\": {}, \"difference\": {}, \"model_interval\": {}, \"against_interval\": {}, "
      "\"interval\": {}, \"method\": {}, \"reasons\": {{{}}}, \"advice\": {{\"model\": {}, \"against\": {}}}}}",
      json_number(found.one), json_number(found.other), json_number(found.difference),
      interval_json(found.one_interval), interval_json(found.other_interval), interval_json(found.interval),
      words(found.how), reasons, words(found.advice_one), words(found.advice_other));
}

std::string paired_log_z_json(const PairedLogZ& found, const PairedNames& names) {
  return fmt::format("{{{}, \"parts\": [], \"log_z\": {}}}\n", paired_members(names), log_z_object(found));
}

}  // namespace v1
}  // namespace harmonium
