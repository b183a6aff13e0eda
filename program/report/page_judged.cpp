// Sections of a page on what was computed: the likelihood, the chains.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/program/evaluation_text.hpp>
#include <harmonium/program/report/html.hpp>
#include <harmonium/program/report/page.hpp>
#include <harmonium/program/report/words.hpp>
#include <harmonium/program/stack/above_of_parts.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

HtmlCell figure_cell(const std::optional<double>& value, const std::optional<Interval>& interval = {}) {
  if (!value && !interval) return "-";
  const bool wide = interval && interval->low != interval->high;
  if (!value) return HtmlCell(fmt::format("[{}]", interval_range(interval)));
  return {fmt::format("{:.4f}{}", *value, wide ? fmt::format(" [{}]", interval_range(interval)) : ""), *value};
}

/// A row a figure, a column a part of the data.
std::string splits_table(const Evaluations& all) {
  HtmlTable table{
      "By the code of 'harmonium evaluate'. In brackets: 95 % intervals. Nats a row, but for rows, the "
      "reconstruction error (mean square of an entry) and the accuracy (a share).",
      {"figure"},
      {}};
  const auto row = [&](const char* name, const auto& cell) {
    std::vector<HtmlCell> cells{HtmlCell(name)};
    for (const auto& split : all.splits) cells.push_back(cell(split.second));
    if (std::ranges::any_of(cells.begin() + 1, cells.end(), [](const HtmlCell& c) { return c.text != "-"; }))
      table.rows.push_back(std::move(cells));
  };
  for (const auto& split : all.splits) table.columns.push_back(split.first);
  row("rows", [](const Evaluation& e) {
    return HtmlCell(std::to_string(e.num_samples.value_or(0)), static_cast<double>(e.num_samples.value_or(0)));
  });
  row("log likelihood", [](const Evaluation& e) { return figure_cell(e.log_likelihood, e.log_likelihood_interval); });
  row("lower bound",
      [](const Evaluation& e) { return figure_cell(e.variational_bound, e.variational_bound_interval); });
  row("log likelihood of the first machine alone",
      [](const Evaluation& e) { return figure_cell(e.first_machine_log_likelihood, e.first_machine_interval); });
  row("free energy", [](const Evaluation& e) { return figure_cell(e.free_energy, e.free_energy_interval); });
  row("pseudo log likelihood", [](const Evaluation& e) { return figure_cell(e.pseudo_log_likelihood); });
  row("reconstruction error", [](const Evaluation& e) { return figure_cell(e.reconstruction_error); });
  row("accuracy", [](const Evaluation& e) { return figure_cell(e.accuracy); });
  row("log likelihood of labels", [](const Evaluation& e) { return figure_cell(e.label_log_likelihood); });
  row("rows whose class is told, where not of all", [](const Evaluation& e) {
    if (!e.num_classified || e.num_classified == e.num_samples) return HtmlCell("-");
    return HtmlCell(std::to_string(*e.num_classified), static_cast<double>(*e.num_classified));
  });
  if (const std::string& units = all.whole.units; units != "data")
    row(fmt::format("to be added for the data's own units (the model's are {})", units).c_str(),
        [](const Evaluation& e) { return figure_cell(e.log_jacobian); });
  return html_table(table);
}

std::string log_z_table(const Evaluation& whole) {
  HtmlTable table{"Log Z, in nats.", {"", ""}, {}};
  table.rows.push_back({HtmlCell("log Z"), figure_cell(whole.log_z, whole.log_z_interval)});
  table.rows.push_back({HtmlCell("found"), HtmlCell(whole.log_z_method.empty() ? "-" : whole.log_z_method)});
  const bool exact = whole.log_z_interval && whole.log_z_interval->low == whole.log_z_interval->high;
  table.rows.push_back({HtmlCell("do its ways agree"), HtmlCell(exact          ? "It is exact."
                                                                : !whole.agree ? "-"
                                                                : *whole.agree ? "Yes."
                                                                               : "No: " + sentence(whole.why))});
  if (whole.ground_state_energy)
    table.rows.push_back(
        {HtmlCell(whole.ground_state_certain ? "lowest energy of all states" : "lowest energy that was met"),
         figure_cell(whole.ground_state_energy)});
  return html_table(table);
}

/// Why figures are absent, each reason once.
std::string reasons_body(const Evaluations& all) {
  std::vector<std::pair<std::string, std::string>> reasons;  // reason, figures
  const auto& from = all.splits.empty() ? all.whole.reasons : all.splits[0].second.reasons;
  for (const auto& [figure, why] : from) {
    if (figure == "accuracy" || figure == "label_log_likelihood") continue;  // of models with labels alone
    if (about_energy(figure)) continue;                                      // of a model that is judged alone
    auto found = std::ranges::find(reasons, why, &std::pair<std::string, std::string>::first);
    if (found == reasons.end()) found = reasons.insert(found, {why, ""});
    found->second += (found->second.empty() ? "" : ", ") + figure;
  }
  std::string text;
  for (const auto& [why, figures] : reasons) text += html_element("p", fmt::format("No {}: {}", figures, why));
  return text;
}

std::string numbers_table(const Diagnosis& d) {
  HtmlTable table{
      "Numbers of a configuration over all chains. τ and τ′: autocorrelation time in steps, two ways; R-hat should be "
      "below 1.05, and p of starts, how likely means so far apart are, not tiny.",
      {"number", "mean", "error", "τ", "τ′", "R-hat", "p of starts"},
      {}};
  const double least = 0.005 / static_cast<double>(std::max<std::size_t>(d.numbers.size(), 1));
  for (const DiagnosedNumber& n : d.numbers)
    table.rows.push_back(
        {HtmlCell(n.name), HtmlCell(fmt::format("{:.6g}", n.mean), n.mean),
         HtmlCell(fmt::format("{:.2g}", n.error), n.error), HtmlCell(number_words(n.monotone_time), n.monotone_time),
         HtmlCell(number_words(n.batch_time), n.batch_time),
         n.r_hat < 1.05 ? HtmlCell(fmt::format("{:.3f}", n.r_hat), n.r_hat)
                        : HtmlCell::flagged(fmt::format("{:.3f}", n.r_hat), n.r_hat),
         n.equal_means >= least ? HtmlCell(fmt::format("{:.2g}", n.equal_means), n.equal_means)
                                : HtmlCell::flagged(fmt::format("{:.2g}", n.equal_means), n.equal_means)});
  return html_table(table);
}

std::string moments_words(const char* name, const std::optional<DiagnosedMoments>& m) {
  if (!m || !std::isfinite(m->pearson)) return "";
  return fmt::format(" {} of draws against data: correlation {:.3f}, slope {:.3f} (two halves of the data: {:.3f}).",
                     name, m->pearson, m->slope, m->pearson_of_halves);
}

std::string diagnosis_body(const Diagnosis& d, Charts& charts) {
  std::string starts;
  for (const std::string& start : d.starts) starts += (starts.empty() ? "" : ", ") + start;
  std::string text = html_element("p", sentence(d.verdict));
  text += html_element("p",
                       fmt::format("{} Gibbs chains from {}; {} steps used of each. Effective sample size {}, of {}.{}",
                                   d.num_chains, starts, d.num_steps, number_words(d.effective_sample_size), d.slowest,
                                   d.moves.empty() ? "" : " " + sentence(d.moves)));
  std::string more = moments_words("Means", d.means) + moments_words("Correlations", d.correlations);
  if (d.beta_of_draws) more += fmt::format(" The inverse temperature that fits the draws is {:.3f}", *d.beta_of_draws);
  if (d.beta_of_draws) more += d.beta_of_data ? fmt::format(", that of the data {:.3f}.", *d.beta_of_data) : ".";
  if (d.total_variation)
    more += fmt::format(
        " Total variation of the observed law: {:.3g} (of independent draws, as many as these are worth: {:.3g}).",
        *d.total_variation, d.total_variation_floor.value_or(0.0));
  std::string drawn;
  const auto add = [&](const std::string& chart) {
    if (!chart.empty()) drawn += "<figure>" + chart + "</figure>\n";
  };
  if (charts.can_draw() && d.ages.size() > 1) add(charts.energies(d.ages)), add(charts.distances(d.ages));
  if (charts.can_draw() && !d.modes_of_data.empty()) add(charts.cells(d.modes_of_data, d.modes_of_draws));
  return text + numbers_table(d) + (more.empty() ? "" : html_element("p", more.substr(1))) +
         (drawn.empty() ? "" : "<div class=\"panels\">\n" + drawn + "</div>\n");
}

}  // namespace

PageSection stack_section(const ComputedStack& stack) {
  const auto& part = stack.likelihood;
  const std::string title =
      fmt::format("The stack {}: whether its upper machines are worth their places", stack.folder);
  if (!part.found) return {"stack", title, html_element("p", fmt::format("Not known. {}", part.why_not))};
  std::string body;
  for (const AboveOfParts& said : above_of_parts(*part.found))
    body += html_element("p", sentence(fmt::format("{} rows: {}", said.parts, said.above.with_remedy())));
  body += splits_table(*part.found) + log_z_table(part.found->whole);
  if (!part.found->splits.empty())
    if (const std::string why = absent_reason(part.found->splits[0].second, "first_machine_log_likelihood");
        !why.empty())
      body += html_element("p", fmt::format("No log likelihood of the first machine alone: {}", why));
  return {"stack", title, body + html_element("p", fmt::format("By '{}', {}.", part.how, time_words(part.seconds)))};
}

PageSection likelihood_section(const Computed& computed, Charts& charts) {
  const auto& part = computed.likelihood;
  std::string body;
  if (!part.found) {
    body = html_element("p", fmt::format("No likelihood: {}", part.why_not));
  } else {
    if (!part.why_not.empty()) body += html_element("p", fmt::format("No rows were judged: {}", part.why_not));
    if (!part.found->splits.empty()) body += splits_table(*part.found);
    body += log_z_table(part.found->whole);
    if (part.found->whole.log_z_at_least && charts.can_draw())
      body +=
          html_figure(charts.intervals(part.found->whole),
                      "Annealing forward alone bounds log Z from below, backward alone from above (95 % each); both "
                      "together are weighed by Bennett's acceptance ratio.");
    body += reasons_body(*part.found);
  }
  return {"likelihood", "Likelihood", body};
}

PageSection chains_section(const RunRecord& record, const Computed& computed, Charts& charts) {
  const auto& part = computed.diagnosis;
  std::string body = part.found ? diagnosis_body(*part.found, charts)
                                : html_element("p", fmt::format("Chains were not diagnosed: {}", part.why_not));
  if (part.found && !part.why_not.empty())
    body += html_element(
        "p", fmt::format("No chain started at the data, and nothing was compared with them: {}", part.why_not));
  body += picture_body("chains", record, computed);
  const bool exchanges = std::ranges::any_of(record.run.log.series, [](const MetricSeries& s) {
    return s.name.starts_with("swap_rate") || s.name.starts_with("acceptance") || s.name.starts_with("mixing.");
  });
  body += html_element(
      "p", exchanges ? "What the run recorded of its own chains, exchanges, acceptance or mixing, is among the "
                       "learning curves."
                     : "The run recorded nothing of its own chains: the observers tempering, acceptance and mixing "
                       "would.");
  return {"chains", "Chains and their verdict", body};
}

}  // namespace v1
}  // namespace harmonium
