#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>
#include <harmonium/framework/files/leak_file.hpp>
#include <harmonium/framework/files/output_folder.hpp>
#include <harmonium/framework/pictures/curves.hpp>
#include <harmonium/program/best_run.hpp>
#include <harmonium/program/chosen_figures.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/compare_text.hpp>
#include <harmonium/program/comparison_legend.hpp>
#include <harmonium/program/dealt_rows.hpp>
#include <harmonium/program/kept_likelihoods.hpp>
#include <harmonium/program/run_order.hpp>
#include <harmonium/program/seed_means_text.hpp>
#include <harmonium/program/unlike_units.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* compare_more =
    "First the settings in which the runs differ, by their dotted paths, then the figures of each after its last "
    "epoch, "
    "with\n"
    "errors where they are known, and in parentheses the best value where an earlier epoch had it (of test rows the "
    "one "
    "at\n"
    "the epoch that validation rows chose). 'best.' begins figures of the best model that a run keeps. 'unfinished' is "
    "a\n"
    "run that goes on, or was stopped. Where runs differ in the seed alone, means over seeds with standard errors "
    "follow,\n"
    "of those that finished. Of a stack with a [joint] that run is compared with others.";

class Compare final : public Command {
 public:
  Compare()
      : Command("compare", "Show in what runs differ, and how they ended", compare_more,
                {"harmonium compare runs/first runs/second", "harmonium compare runs/* --output curves.svg"}) {}

  void declare(CLI::App& command) override {
    command.add_option("RUN", paths_, "Folders of runs, two or more, or of sweeps or stacks")
        ->type_name("RUN...")
        ->required();
    command.add_flag("--means", means_, "Means over seeds alone, with standard errors: a column a setting");
    add_name(command, "--sort", sort_, "FIGURE",
             "Order runs by a figure, the greatest first where more is better, else the least");
    command
        .add_option("--figure", figures_,
                    "Show this figure alone, by its name, its end, or a pattern ('norm.*'); may be repeated")
        ->type_name("NAME")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
    command.add_flag("--json", json_, "The same for programs, in full precision");
    add_name(command, "--output", output_, "FILE.svg",
             "Draw the curves of all runs, a color for each setting, or FILE.png; replaced if it exists");
  }
  bool writes_files() const override { return !output_.empty(); }
  int run(Terminal&) override {
    check_output();
    std::vector<std::string> sweeps;
    const std::vector<std::string> folders = runs_of_sweeps(runs_of_stacks(paths_), &sweeps);
    // A sweep may have one run so far: whoever reads the comparison of it by a program gets that.
    const std::vector<ComparedRun> given = with_kept_likelihoods(read_runs(folders, !sweeps.empty()));
    const std::vector<ComparedRun> runs = in_order(given);
    const std::vector<DifferingSetting> settings = differing_settings(runs);
    chosen_ = chosen_figures(figures_, runs);
    const std::vector<std::string> unlike = unlike_units(runs, compared_figures(runs));
    const std::string below = note_on_unlike_units(unlike) + note_on_unlike_rows(runs) + note_on_leaks(runs) +
                              (output_.empty() ? "" : draw(runs, settings));
    // In the order in which they were given: of two that have one seed it is not the better one that counts.
    std::optional<SeedMeans> means = means_over_seeds(given, differing_settings(given));
    if (means_ && !means)
      throw ConfigError(
          fmt::format("--means: no two of the runs differ in the seed alone, or none has figures. Single runs are "
                      "compared, and the "
                      "best is named, by 'harmonium compare {}'; for means make runs of several seeds (in a sweep seed "
                      "= [1, 2, 3]).",
                      fmt::join(paths_, " ")));
    // Means may have a likelihood of all rows alone where the runs have one along them, too.
    const auto by = means ? known_order(sort_, means->figures) : std::nullopt;
    if (means_ && !sort_.empty() && !by) throw ConfigError(unknown_order(sort_, means->figures));
    if (by) sort_means(*means, *by);
    const std::string of_means = by.value_or(sort_);
    const std::string& shown = means_ ? of_means : sort_;
    const std::string order =
        sort_.empty() ? "" : fmt::format("Runs {}{}\n\n", order_words(shown), order_aside(shown, unlike));
    if (means_)
      write_out(json_ ? seed_means_json(*means, of_means, chosen_)
                      : order + seed_means_text(*means, of_means, chosen_) + below);
    else if (json_) write_out(comparison_json(runs, settings, chosen_));
    else
      write_out(order + comparison_text(runs, settings, best_text(runs, settings, !means), chosen_) +
                (means ? "\n" + seed_means_text(*means, of_means, chosen_) : "") + below);
    return 0;
  }

 private:
  std::vector<ComparedRun> in_order(std::vector<ComparedRun> runs) {
    if (sort_.empty()) return runs;
    const std::vector<ComparedFigure> figures = compared_figures(runs);
    const auto by = known_order(sort_, names_of(figures));
    if (!by) throw ConfigError(unknown_order(sort_, names_of(figures)));
    sort_ = *by;
    return reordered(std::move(runs), *places_of_runs(sort_, figures));
  }
  /// Who sorts by a figure of which less is better sees the best run first, and no more is said of it.
  std::string best_text(const std::vector<ComparedRun>& runs, const std::vector<DifferingSetting>& settings,
                        bool one_seed) const {
    return best_run_text(runs, figures_once(runs), settings, {sort_, one_seed});
  }
  static std::string note_on_unlike_units(const std::vector<std::string>& unlike) {
    return unlike.empty() ? "" : fmt::format("\nNote: {}\n", words_on_units(unlike));
  }
  /// Runs of several seeds are compared as of the same rows unless it is said that they are not.
  static std::string note_on_unlike_rows(const std::vector<ComparedRun>& runs) {
    std::vector<const Value*> configs;
    configs.reserve(runs.size());
    for (const ComparedRun& run : runs) configs.push_back(&run.config);
    const auto unlike = first_of_unlike_deals(configs);
    if (!unlike) return "";
    return fmt::format(
        "\nNote: {} data_seed = {} in the configuration, above its tables, gives all of them the same; 'harmonium "
        "evaluate RUN --data FILE' judges these runs by the rows of one file.\n",
        unlike->words(), unlike->first);
  }
  static std::string note_on_leaks(const std::vector<ComparedRun>& runs) {
    std::map<std::string, std::vector<std::string>> names;
    for (const ComparedRun& run : runs)
      if (!run.leak.empty()) names[run.leak].push_back(run.name);
    std::string notes;
    for (const auto& [leak, of] : names)
      notes += fmt::format("\nNote: {}: {}{} No such run is named the best.\n", fmt::join(of, ", "), leak, too_good);
    return notes;
  }
  void check_output() const {
    if (output_.empty()) return;
    check_ends_as_figure(output_, "curves are");
    folder_of_output(output_, "--output");
    check_replaceable(output_);
  }
  std::string draw(const std::vector<ComparedRun>& runs, const std::vector<DifferingSetting>& settings) const {
    const auto gnuplot = find_gnuplot();
    if (!gnuplot) throw FileError(without_gnuplot("there are no curves"));
    const std::vector<std::string> legend = legend_by_setting(runs, settings);
    std::vector<NamedLog> logs;
    for (std::size_t r = 0; r < runs.size(); ++r)
      logs.push_back({legend[r], with_chosen_figures(runs[r].log, chosen_)});
    const CurveFigure figure = figure_of_runs(logs);
    if (figure.panels.empty())
      throw DataError(fmt::format("compare: the runs have no {}, so that there are no curves.",
                                  chosen_.empty() ? "figures" : "such figures along the way"));
    const std::string caption = caption_of(figure, fmt::format("what was measured along {} runs,", runs.size()));
    draw_svg_or_png(*gnuplot, output_, curves_script(figure), size_of(figure), caption);
    return fmt::format("\n{}: {}\n", output_, caption);
  }

  std::vector<std::string> paths_, figures_, chosen_;  // as they were asked for, and the names of those
  std::string output_, sort_;
  bool json_ = false, means_ = false;
};

}  // namespace

std::unique_ptr<Command> compare_command() { return std::make_unique<Compare>(); }

}  // namespace v1
}  // namespace harmonium
