#include <harmonium/program/paired_evaluation.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <harmonium/cli/columns.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/part_of_work.hpp>
#include <harmonium/framework/execution/told_once.hpp>
#include <harmonium/program/evaluation_words.hpp>
#include <harmonium/program/log_z_difference.hpp>
#include <harmonium/program/paired/row_pairs.hpp>
#include <harmonium/program/precision.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// A model on each set of rows, in turn.
std::vector<JudgedModel> judged_models(EvaluateRequest request, const std::string& model, const std::string& name) {
  std::vector<JudgedModel> judged;
  request.model = model;
  request.called = name;
  request.own_data = true;
  request.rows_judged = [&](const JudgedRows& rows) { judged.push_back({{name, rows}, {}}); };
  const Evaluations found = program(precision_of_model(model)).evaluate(request);
  for (std::size_t k = 0; k < judged.size(); ++k)
    judged[k].found = found.splits.empty() ? found.whole : found.splits.at(k).second;
  return judged;
}

/// The rows of a model, in turn, before anything is found: what can be refused is refused then.
std::vector<RowsOfModel> rows_of_model(EvaluateRequest request, const std::string& model, const std::string& name) {
  std::vector<RowsOfModel> all;
  request.model = model;
  request.own_data = request.rows_alone = true;
  request.display = nullptr;  // who judges the rows tells of them
  request.rows_judged = [&](const JudgedRows& rows) { all.push_back({name, rows}); };
  program(precision_of_model(model)).evaluate(request);
  return all;
}

/// "training rows, test rows".
std::string parts_in_words(const std::vector<RowsOfModel>& parts) {
  std::string words;
  for (const RowsOfModel& part : parts) words += (words.empty() ? "" : ", ") + part.judged.words;
  return words;
}

void check_rows(const EvaluateRequest& request, const std::string& other_model, const PairedNames& names) {
  const std::vector<RowsOfModel> one = rows_of_model(request, request.model, names.one),
                                 other = rows_of_model(request, other_model, names.other);
  if (parts_in_words(one) != parts_in_words(other))
    throw DataError(fmt::format(
        "--against {}: its run has {}, and that of {} has {}. Name those that both have by --split, or rows by --data "
        "FILE.",
        names.other, parts_in_words(other), names.one, parts_in_words(one)));
  if (!request.rows.empty() && one.size() > 1)
    throw ConfigError(
        fmt::format("--rows {}: it has the figures of one set of rows, and the runs have {}. Name one by "
                    "--split, or others by --data.",
                    request.rows, parts_in_words(one)));
  for (std::size_t k = 0; k < one.size(); ++k) check_same_rows(one[k], other[k], "--against " + names.other);
}

const char* unit_of(const PairedFigure& figure) {
  if (figure.name == "accuracy") return "share of the rows whose label is the likeliest";
  if (figure.name == "label_log_likelihood") return "nats a label, given the rest of its row";
  return figure.converted ? "nats a sample, in the data's own units" : "nats a sample";
}

/// Of a bound, which of the two figures is one.
std::string unit_of_bound(const PairedFigure& figure, const PairedNames& names) {
  std::string unit = unit_of(figure);
  if (figure.one_bounded && figure.other_bounded) unit += ", lower bounds";
  else
    unit += fmt::format(", a lower bound of {}, the log likelihood of {}", figure.one_bounded ? names.one : names.other,
                        figure.one_bounded ? names.other : names.one);
  if (figure.interval)
    unit += fmt::format(", difference between {} and {} (95 %)", fixed_text(figure.interval->low, 3),
                        fixed_text(figure.interval->high, 3));
  return unit;
}

/// To the second digit of what is not known of it, so that nobody takes the difference of two columns for that of the models.
std::string text_of_one(double value, const std::optional<double>& half_width) {
  if (!half_width) return fixed_text(value, 6);
  return fixed_text(value, std::clamp(1 - static_cast<int>(std::floor(std::log10(*half_width))), 0, 6));
}

std::vector<std::string> paired_line(const PairedFigure& figure, Index all, const PairedNames& names) {
  const bool of_bounds = figure.one_bounded || figure.other_bounded;
  std::string unit = of_bounds ? unit_of_bound(figure, names) : unit_of(figure);
  if (figure.rows < all) unit += fmt::format(", of {} rows", figure.rows);
  if (figure.interval && !of_bounds)
    unit +=
        fmt::format(", difference between {} and {} by {} (95 %)", fixed_text(figure.interval->low, 3),
                    fixed_text(figure.interval->high, 3), figure.rows_estimated ? "rows that are estimated" : "log Z");
  return {figure.name,
          text_of_one(figure.one, figure.one_half_width),
          text_of_one(figure.other, figure.other_half_width),
          fixed_text(figure.difference, 6),
          figure.rows_error ? fmt::format("{:.6f}", *figure.rows_error) : "-",
          unit};
}

std::string paired_figure_json(const PairedFigure& f) {
  return fmt::format(
      "{}: {{\"model\": {}, \"against\": {}, \"difference\": {}, \"rows_error\": {}, \"interval\": {}, "
      "\"num_samples\": {}, \"log_z_method\": {}}}",
      json_string(f.name), json_number(f.one), json_number(f.other), json_number(f.difference),
      json_number(f.rows_error), interval_json(f.interval), f.rows,
      f.log_z_method.empty() ? "null" : json_string(f.log_z_method));
}

}  // namespace

std::string paired_head(const PairedNames& names) {
  if (names.beta == names.other_beta) return fmt::format("both {}\n\n", beta_words(names.beta));
  return fmt::format("{} {}, {} {}\n\n", names.one, beta_words(names.beta), names.other, beta_words(names.other_beta));
}

std::string paired_members(const PairedNames& names) {
  return fmt::format("\"model\": {}, \"against\": {}, \"beta\": {}, \"against_beta\": {}", json_string(names.one),
                     json_string(names.other), json_number(names.beta), json_number(names.other_beta));
}

std::vector<PairedRows> evaluate_paired(const EvaluateRequest& request, const std::string& other_model,
                                        const PairedNames& names) {
  ToldOnce once(request.display);
  PartOfWork first(&once, 0.0, 0.5, names.one), second(&once, 0.5, 1.0, names.other);
  EvaluateRequest own = request;
  own.first_machine = false;
  own.keeps_draws = true;
  own.bound_where_any = request.bound_alone;
  own.effort_where_any |= request.bound_alone;
  check_rows(own, other_model, names);
  own.rows.clear();  // neither writes a table of its own
  if (request.display) own.display = &first;
  const std::vector<JudgedModel> one = judged_models(own, request.model, names.one);
  // Of one seed the two would draw the same numbers, and their errors go together in a way that nobody knows.
  own.stream = "against";
  own.beta = names.other_beta;
  if (request.display) own.display = &second;
  const std::vector<JudgedModel> other = judged_models(own, other_model, names.other);
  std::vector<PairedRows> all;
  std::optional<PairedLogZ> log_z;  // of all parts
  for (std::size_t k = 0; k < one.size(); ++k) {
    if (!log_z)
      log_z = compared_log_z(request, {request.model, one[k].found, request.beta},
                             {other_model, other[k].found, names.other_beta});
    all.push_back(
        paired_difference(one[k], other[k], *log_z, request.bound_alone ? PairedBy::bounds : PairedBy::likelihoods));
    if (!request.rows.empty()) write_row_pairs(request.rows, one[k], other[k], *log_z, all.back());
  }
  return all;
}

std::string paired_text(const std::vector<PairedRows>& all, const PairedNames& names) {
  std::vector<TableSection> sections;
  std::vector<std::pair<std::string, std::string>> reasons;
  std::vector<std::string> methods, says, advice, densities;
  for (const PairedRows& rows : all) {
    densities.push_back(rows.densities_say);
    if (!rows.bound_says.empty())
      says.push_back(all.size() > 1 ? fmt::format("{}: {}", rows.words, rows.bound_says) : rows.bound_says);
    advice.insert(advice.end(), rows.advice.begin(), rows.advice.end());
    TableSection section{fmt::format("{} {}", rows.rows, rows.words), {}};
    for (const PairedFigure& figure : rows.figures) {
      section.rows.push_back(paired_line(figure, rows.rows, names));
      if (!figure.log_z_method.empty()) methods.push_back("log_z: " + figure.log_z_method);
    }
    if (rows.right_alone) {
      const auto [one, other] = *rows.right_alone;
      section.rows.push_back({"right_alone", std::to_string(one), std::to_string(other), "", "",
                              "rows whose label this model alone finds the likeliest"});
    }
    sections.push_back(std::move(section));
    for (const auto& reason : rows.reasons)
      if (std::ranges::find(reasons, reason) == reasons.end() && !reason.second.ends_with(no_classes))
        reasons.push_back(reason);
  }
  return paired_head(names) +
         table_text({names.one, names.other, "difference", "± over rows"}, sections, paired_table_width) +
         reasons_text(reasons) + remarks_text(methods) + remarks_text(says) + remarks_text(densities) +
         remarks_text(advice);
}

std::string paired_json(const std::vector<PairedRows>& all, const PairedNames& names) {
  std::string parts;
  for (const PairedRows& rows : all) {
    std::string figures, reasons, advice;
    for (const std::string& one : rows.advice) advice += (advice.empty() ? "" : ", ") + json_string(one);
    for (const PairedFigure& figure : rows.figures)
      figures += (figures.empty() ? "" : ", ") + paired_figure_json(figure);
    for (const auto& [name, why] : rows.reasons)
      reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : ", ", json_string(name), json_string(why));
    parts += fmt::format(
        "{}{{\"rows\": {}, \"num_samples\": {}, \"figures\": {{{}}}, \"right_alone\": {}, \"reasons\": "
        "{{{}}}, \"bound_says\": {}, \"densities_say\": {}, \"advice\": [{}]}}",
        parts.empty() ? "" : ",\n", json_string(rows.words), rows.rows, figures,
        rows.right_alone ? fmt::format("[{}, {}]", rows.right_alone->first, rows.right_alone->second) : "null", reasons,
        rows.bound_says.empty() ? "null" : json_string(rows.bound_says),
        rows.densities_say.empty() ? "null" : json_string(rows.densities_say), advice);
  }
  return fmt::format("{{{}, \"parts\": [{}]}}\n", paired_members(names), parts);
}

}  // namespace v1
}  // namespace harmonium
