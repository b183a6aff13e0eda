// The page of several runs, and that of one which goes on.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/version.hpp>
#include <harmonium/program/best_setting.hpp>
#include <harmonium/program/compare_text.hpp>
#include <harmonium/program/comparison_legend.hpp>
#include <harmonium/program/kept_likelihoods.hpp>
#include <harmonium/program/report/computed_figures.hpp>
#include <harmonium/program/report/html.hpp>
#include <harmonium/program/report/page.hpp>
#include <harmonium/program/report/words.hpp>
#include <harmonium/program/seed_means_text.hpp>
#include <harmonium/program/setting_words.hpp>
#include <harmonium/program/unlike_units.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// A row a run: the settings in which it differs, beside how it ended.
std::string runs_table(const std::vector<ComparedRun>& runs) {
  const std::vector<DifferingSetting> settings = differing_settings(runs);
  const std::vector<ComparedFigure> figures = figures_once(runs);
  HtmlTable table{
      "A row a run. The best values are in parentheses where an earlier epoch had them (of test rows those at the "
      "epoch "
      "that validation rows chose); 'best.' begins figures of the best model that a run keeps; ranges are 95 % "
      "intervals, "
      "what "
      "follows ± is one standard error.",
      {"run", "state", "epochs"},
      {},
      {{"how it ended", 2},
       {"settings that differ", settings.size()},
       {"figures after the last epoch", figures.size()}}};
  std::vector<std::vector<std::string>> texts;
  for (const DifferingSetting& setting : settings) {
    table.columns.push_back(setting.path);
    texts.push_back(setting_texts(setting));
  }
  for (const ComparedFigure& figure : figures) table.columns.push_back(figure.name);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    std::vector<HtmlCell> row{HtmlCell(runs[r].name), HtmlCell(state_name(runs[r].state)),
                              HtmlCell(std::to_string(runs[r].log.epochs), static_cast<double>(runs[r].log.epochs))};
    for (const std::vector<std::string>& of_runs : texts) row.emplace_back(of_runs[r]);
    for (const ComparedFigure& figure : figures) {
      if (!figure.of_runs[r]) {
        row.emplace_back(unknown_figure_words(state_of(figures, figure, r)));
        continue;
      }
      const FinalFigure& own = *figure.of_runs[r];
      row.emplace_back(last_value_words(own, runs[r].log.epochs) + best_words(own), own.last.value);
    }
    table.rows.push_back(std::move(row));
  }
  const std::vector<std::string> unlike = unlike_units(runs, figures);
  return (settings.empty() ? html_element("p", "The settings of the runs do not differ.") : "") +
         (unlike.empty() ? "" : html_element("p", "Note: " + words_on_units(unlike))) + html_table(table);
}

/// What was computed of each.
std::string judged_table(const std::vector<ComparedRun>& runs, const std::vector<Computed>& computed) {
  HtmlTable table{
      "By the code of 'harmonium evaluate' and 'harmonium diagnose'; nats a row, 95 % intervals in brackets.",
      {"run"},
      {}};
  std::vector<std::string> parts;
  for (const Computed& c : computed)
    if (c.likelihood.found)
      for (const auto& split : c.likelihood.found->splits)
        if (std::ranges::find(parts, split.first) == parts.end()) parts.push_back(split.first);
  for (const std::string& part : parts) table.columns.push_back("log likelihood: " + part);
  for (const char* column : {"log Z", "slowest τ", "largest R-hat", "do chains mix"})
    table.columns.emplace_back(column);
  const auto cell = [](const std::optional<double>& value, const std::optional<Interval>& interval) {
    if (!value) return HtmlCell(interval ? fmt::format("not agreed on [{}]", interval_range(interval)) : "-");
    const bool wide = interval && interval->low != interval->high;
    return HtmlCell(fmt::format("{:.4f}{}", *value, wide ? fmt::format(" [{}]", interval_range(interval)) : ""),
                    *value);
  };
  for (std::size_t r = 0; r < runs.size(); ++r) {
    std::vector<HtmlCell> row{HtmlCell(runs[r].name)};
    const auto& found = computed[r].likelihood.found;
    for (const std::string& part : parts) {
      const auto split = found ? std::ranges::find(found->splits, part, &std::pair<std::string, Evaluation>::first)
                               : std::vector<std::pair<std::string, Evaluation>>::const_iterator{};
      row.push_back(found && split != found->splits.end()
                        ? cell(split->second.log_likelihood, split->second.log_likelihood_interval)
                        : HtmlCell("-"));
    }
    row.push_back(found ? cell(found->whole.log_z, found->whole.log_z_interval) : HtmlCell("-"));
    if (const auto& d = computed[r].diagnosis.found) {
      const double worst = std::ranges::max(d->numbers, {}, &DiagnosedNumber::r_hat).r_hat;
      row.emplace_back(number_words(d->autocorrelation_time), d->autocorrelation_time);
      row.emplace_back(fmt::format("{:.3f}", worst), worst);
      row.emplace_back(d->mixed ? "mixed" : d->too_short ? "not decided" : "not mixed");
    } else {
      for (int i = 0; i < 3; ++i) row.emplace_back("-");
    }
    table.rows.push_back(std::move(row));
  }
  return html_table(table);
}

/// One for each line that is not empty.
std::string paragraphs(const std::string& lines) {
  std::string body;
  for (std::size_t from = 0, to = 0; (to = lines.find('\n', from)) != std::string::npos; from = to + 1)
    if (to > from) body += html_element("p", lines.substr(from, to - from));
  return body;
}

/// A row a setting: means over its seeds, and which of them is the best.
std::string seed_means_body(const std::vector<ComparedRun>& runs) {
  const std::optional<SeedMeans> means = means_over_seeds(runs, differing_settings(runs));
  if (!means) return "";
  const std::string estimates = words_on_estimates(*means), few_seeds = words_on_few_seeds(*means);
  HtmlTable table{
      fmt::format(
          "Figures after the last epoch of the runs that finished: means over seeds ± one standard error, from "
          "the scatter over them; rows: the standard {}. {}{}{}{}Likelihoods of all rows ('all_rows.') that runs do "
          "not have are those computed for this page.",
          words_on_rows_error(*means), estimates, estimates.empty() ? "" : " ", few_seeds,
          few_seeds.empty() ? "" : " "),
      {"setting", "seeds"},
      {}};
  table.columns.insert(table.columns.end(), means->settings.begin(), means->settings.end());
  table.columns.insert(table.columns.end(), means->figures.begin(), means->figures.end());
  for (const SeedMeans::Group& group : means->groups) {
    std::vector<HtmlCell> row{HtmlCell(std::to_string(group.number)),
                              HtmlCell(std::to_string(group.finished), static_cast<double>(group.finished))};
    for (const std::string& value : group.values) row.emplace_back(value);
    for (const SeedMean& m : group.means)
      row.push_back(m.count > 0 ? HtmlCell(seed_mean_words(m), m.mean) : HtmlCell(seed_mean_words(m)));
    table.rows.push_back(std::move(row));
  }
  std::string lines;
  for (const std::string& line : words_on_repeats(means->repeats())) lines += line + "\n";
  return html_table(table) + paragraphs(lines + best_setting_text(*means, "", true));
}

/// What `sweep` drew of each key: means over seeds with their errors.
std::string sweep_figures_body(const std::vector<std::string>& sweeps) {
  namespace fs = std::filesystem;
  std::string body;
  std::size_t number = 0;
  for (const std::string& sweep : sweeps) {
    std::vector<fs::path> figures;
    for (const auto& entry : fs::directory_iterator(sweep))
      if (entry.path().extension() == ".svg" && entry.path().filename().string().starts_with("by_"))
        figures.push_back(entry.path());
    std::ranges::sort(figures);
    for (const fs::path& figure : figures) {
      const std::string key = figure.stem().string().substr(3);
      const std::string caption =
          fmt::format("Figures over {}: means over seeds, with one standard error ({}).", key, figure.string());
      body += html_figure(html_drawing(content_of_file(figure), fmt::format("sweep{}-", number++), caption), caption);
    }
  }
  return body;
}

}  // namespace

std::string comparison_page(const std::vector<ComparedRun>& runs, const std::vector<RunRecord>& records,
                            const std::vector<Computed>& computed, const RunsFrom& from, const ReportRequest& request,
                            Charts& charts) {
  const std::vector<std::string> legend = legend_by_setting(runs, differing_settings(runs));
  std::vector<NamedLog> logs;
  for (std::size_t r = 0; r < runs.size(); ++r) logs.push_back({legend[r], runs[r].log});
  std::string verdicts, what;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const ReportVerdict verdict = verdict_of(records[r], computed[r]);
    verdicts += html_element("h3", runs[r].name) + html_element("p", verdict.headline) +
                "<details><summary>Why</summary>\n" + claims_body(verdict.claims) + "</details>\n";
    what += html_element("h3", runs[r].name) + computed_section(records[r], computed[r], request).body;
  }
  const std::string no_gnuplot =
      "gnuplot is not installed, and without it there are no charts. Install it (Debian: gnuplot-nox).";
  std::vector<PageSection> sections;
  for (const ComputedStack& stack : from.stacks) {
    sections.push_back(stack_section(stack));
    if (from.stacks.size() > 1) sections.back().id += std::to_string(sections.size());
  }
  sections.push_back({"runs", "In what they differ, and how they ended", runs_table(runs)});
  if (const std::string figures = seed_means_body(with_kept_likelihoods(with_computed_likelihoods(runs, computed))) +
                                  sweep_figures_body(from.sweeps);
      !figures.empty())
    sections.push_back({"seeds", "Means over seeds", figures});
  sections.push_back({"verdicts", "Whether to believe them", verdicts});
  sections.push_back({"judged", "Likelihoods and chains", judged_table(runs, computed)});
  sections.push_back(
      {"curves", "Learning curves",
       charts.can_draw() ? curves_body(figure_of_runs(logs), "", charts) : html_element("p", no_gnuplot)});
  sections.push_back({"computed", "What was computed, when and how", what});
  return whole_page(
      fmt::format("{} runs compared", runs.size()),
      fmt::format("Report of training runs, made {} by Harmonium {} ({}). One run alone gives a report with its "
                  "pictures, chains "
                  "and configuration.",
                  now_in_words(), version(), revision()),
      sections);
}

std::string progress_page(const RunRecord& record, int refresh, Charts& charts) {
  const bool goes_on = record.run.state == ComparedRun::State::unfinished;
  std::string text = fmt::format("{} epochs and {} updates are made{}.", record.run.log.epochs, record.run.log.updates,
                                 record.planned.empty() ? "" : fmt::format(", of {} planned", record.planned));
  const double made = record.training_seconds.value_or(0.0) + record.measuring_seconds.value_or(0.0);
  if (goes_on && made > 0.0 && record.progress > 0.0 && record.progress < 1.0)
    text +=
        fmt::format(" At this rate the rest takes {}.", time_words(made * (1.0 - record.progress) / record.progress));
  if (record.seconds_since)
    text += fmt::format(" The last epoch ended {} ago{}.", time_words(*record.seconds_since),
                        *record.seconds_since > 600.0 ? ": the run may have been stopped" : "");
  const std::string bar =
      fmt::format("<progress max=\"1\" value=\"{0:.4f}\" aria-label=\"Progress\">{1:.0f} %</progress>\n",
                  record.progress, 100.0 * record.progress);
  return whole_page(
      record.run.name,
      fmt::format("The run is {}. {}", state_name(record.run.state),
                  goes_on
                      ? fmt::format("This page is as of {} and asks for itself every {} s.", now_in_words(), refresh)
                      : "'harmonium report' makes the whole report of it."),
      {{"progress", "Progress", bar + html_element("p", text) + claims_body(claims_of_log(record))},
       {"curves", "Learning curves",
        charts.can_draw() ? curves_body(figure_of_run(record.run.log), "", charts)
                          : html_element("p", "gnuplot is not installed, and without it there are no charts.")},
       {"figures", "Figures", figures_body(record)}},
      goes_on ? refresh : 0);
}

}  // namespace v1
}  // namespace harmonium
