// Sections of a page that the log of a run fills.
#include <algorithm>

#include <fmt/format.h>

#include <harmonium/program/compare_text.hpp>
#include <harmonium/program/report/html.hpp>
#include <harmonium/program/report/page.hpp>
#include <harmonium/program/report/words.hpp>
#include <harmonium/program/setting_words.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

struct BeliefMark {
  const char *kind, *sign;
};
BeliefMark mark_of(Belief belief) {
  switch (belief) {
    case Belief::yes: return {"yes", "✓ believe"};
    case Belief::care: return {"care", "! with care"};
    case Belief::no: return {"no", "✗ do not"};
    case Belief::unknown: break;
  }
  return {"unknown", "? not known"};
}

}  // namespace

std::string claims_body(const std::vector<Claim>& claims) {
  std::string items;
  for (const Claim& claim : claims) {
    const BeliefMark mark = mark_of(claim.belief);
    std::string advice;
    for (const std::string& line : claim.advice) advice += fmt::format("<p class=\"advice\">{}</p>\n", html_text(line));
    items += fmt::format("<li><span class=\"mark {}\">{}</span><div>\n<h3>{}</h3>\n{}{}</div></li>\n", mark.kind,
                         mark.sign, html_text(claim.about), html_element("p", claim.why), advice);
  }
  return "<ul class=\"claims\">\n" + items + "</ul>\n";
}

PageSection verdict_section(const ReportVerdict& verdict) {
  return {"verdict", "Whether to believe it",
          fmt::format("<p class=\"headline\">{}</p>\n", html_text(verdict.headline)) + claims_body(verdict.claims)};
}

std::string figures_body(const RunRecord& record) {
  HtmlTable table{
      "Figures after the last epoch; beside it the best, where an earlier epoch had it (of test rows the one at the "
      "epoch that validation rows chose); 'best.' begins figures of the best model that the run keeps. What was taken "
      "before the last "
      "epoch only has its epoch behind it. Ranges are 95 % "
      "intervals, what follows ± is one standard error. Figures along a run are of as many rows, and pseudo log "
      "likelihoods of as many units of each, as its observers take: up to 1,000 rows of each part, where config.toml "
      "says nothing else. 'harmonium evaluate' takes all.",
      {"figure", "value", "best before", "unit", "name in metrics.jsonl"},
      {}};
  for (const ComparedFigure& figure : compared_figures({record.run})) {
    const FigureKind kind = figure_kind(figure.name);
    const FinalFigure& last = *figure.of_runs[0];
    table.rows.push_back(
        {HtmlCell(kind.title + (kind.member.empty() ? "" : ": " + kind.member)),
         HtmlCell(last_value_words(last, record.run.log.epochs), last.last.value),
         last.best ? HtmlCell(fmt::format("{:.6g} at epoch {}", last.best->value, last.best->epoch), last.best->value)
                   : HtmlCell(""),
         HtmlCell(kind.unit), HtmlCell(figure.name)});
  }
  if (table.rows.empty()) return html_element("p", "Nothing has been measured along the run yet.");
  return html_table(table);
}

PageSection happened_section(const RunRecord& record) {
  const MetricsLog& log = record.run.log;
  std::string text =
      fmt::format("The run is {}: {} epochs, {} updates{}.", state_name(record.run.state), log.epochs, log.updates,
                  record.planned.empty() ? "" : fmt::format(", of {} planned", record.planned));
  if (record.training_seconds && log.updates > 0)
    text += fmt::format(
        " Training took {}, an epoch {} on average; measuring took {}.", time_words(*record.training_seconds),
        time_words(*record.training_seconds / static_cast<double>(std::max<std::uint64_t>(log.epochs, 1))),
        time_words(record.measuring_seconds.value_or(0.0)));
  else text += " How long it took is not known: timing.jsonl is missing or empty.";
  return {"happened", "What happened", html_element("p", text) + figures_body(record)};
}

std::string curves_body(const CurveFigure& figure, const std::string& whose, Charts& charts) {
  if (figure.panels.empty())
    return html_element("p", "Nothing has been measured along the run yet, so there are no curves.");
  std::string panels;
  for (const std::string& drawn : charts.curves(figure, whose)) panels += "<figure>" + drawn + "</figure>\n";
  std::string left;
  for (const std::string& title : figure.left_out) left += (left.empty() ? "" : ", ") + title;
  return html_element(
             "p",
             "Bands and bars are 95 % intervals, or one standard error (s.e.), as titles say, where the log has them. "
             "Figures are of 1,000 rows of each part, unless observers say otherwise.") +
         (figure.legend.empty() ? "" : html_legend(figure.legend)) + "<div class=\"panels\">\n" + panels + "</div>\n" +
         (left.empty() ? ""
                       : html_element("p", fmt::format("Not drawn: {}. Their last values are in the table.", left)));
}

PageSection provenance_section(const RunRecord& record) {
  HtmlTable table{"What made this run, as its folder keeps it.", {"", ""}, {}};
  const auto row = [&](const char* name, const std::string& words) {
    table.rows.push_back({HtmlCell(name), HtmlCell(words)});
  };
  row("folder", record.run.path);
  row("state", state_name(record.run.state));
  if (!record.model.empty()) row("model file", record.model);
  const Value* seed = record.run.config.find("seed");
  const Value* precision = record.run.config.find("precision");
  row("seed", value_text(seed));
  row("precision", value_text(precision));
  for (const auto& [name, words] : record.provenance) row(name.c_str(), words);
  if (record.training_seconds) row("training time", time_words(*record.training_seconds));
  if (record.measuring_seconds) row("measuring time", time_words(*record.measuring_seconds));
  if (!record.threads.empty()) row("threads", fmt::format("{}", fmt::join(record.threads, ", ")));
  std::string missing =
      "Results do not depend on the number of threads, and of the machine the instruction set is what can change them.";
  const auto has = [&](const char* name) {
    return std::ranges::find(record.provenance, name, &std::pair<std::string, std::string>::first) !=
           record.provenance.end();
  };
  if (record.model.empty()) missing += " Version, compiler and data are told by a model file, and there is none yet.";
  else if (!has("data_sha256"))
    missing += " There is no fingerprint of data: they were made on the spot, or the file does not tell.";
  return {"provenance", "Provenance",
          "<div class=\"wrap\">" + html_table(table) + "</div>" + html_element("p", missing)};
}

}  // namespace v1
}  // namespace harmonium
