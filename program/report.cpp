#include <cerrno>
#include <cstring>
#include <filesystem>

#include <unistd.h>

#include <fmt/format.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>
#include <harmonium/framework/execution/part_of_work.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/kept_likelihood.hpp>
#include <harmonium/framework/files/output_folder.hpp>
#include <harmonium/framework/inference/effort.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/kept_likelihoods.hpp>
#include <harmonium/program/report/computed_figures.hpp>
#include <harmonium/program/report/page.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

namespace fs = std::filesystem;

constexpr const char* report_more =
    "A page that needs no network and no scripts: whether to believe the run, in words; figures and curves; "
    "likelihoods with\n"
    "log Z from both sides; whether chains mix; filters and singular values; samples; configuration and provenance. "
    "What\n"
    "the folder does not hold is computed as evaluate, diagnose and draw do, and the page says so; likelihoods of runs "
    "that\n"
    "are over are kept for compare. Of several runs: in what they differ beside how they ended.";

class Report final : public RequestCommand<ReportRequest> {
 public:
  Report()
      : RequestCommand("report", "Write a page on runs: what happened, and whether to believe it", report_more,
                       {"harmonium report runs/first --effort 0.2",
                        "harmonium report runs/first runs/second --output both.html --no-likelihood --no-diagnosis"}) {}

  void declare(CLI::App& command) override {
    command.add_option("RUN", request_.runs, "Folders of runs, or of sweeps or stacks")
        ->type_name("RUN...")
        ->required();
    add_name(command, "--output", request_.output, "FILE.html",
             "Default: report.html; a report that exists is replaced");
    add_positive(command, "--effort", request_.effort, "X",
                 "How much longer than usual annealing and chains may take (default: 1)", most_effort);
    command.add_flag("--no-likelihood", request_.no_likelihood, "Leave out log Z and likelihoods");
    command.add_flag("--no-diagnosis", request_.no_diagnosis, "Leave out whether chains mix");
    command.add_flag("--no-pictures", request_.no_pictures, "Leave out pictures that the run has not drawn");
    add_execution(command, request_, quiet_);
  }
  int run(Terminal& terminal) override {
    check_output();
    request_.runs = runs_of_sweeps(runs_of_stacks(request_.runs, &stacks_), &sweeps_);
    const std::string page = request_.runs.size() == 1 ? of_one() : of_several();
    terminal.finish();
    if (request_.stop && *request_.stop) throw Stopped();  // while a chart was drawn
    write_file_atomically(request_.output, page);
    keep_computed(terminal);
    if (!quiet_) write_out(request_.output + "\n");
    return 0;
  }

 private:
  void check_output() const {
    const fs::path output = request_.output;
    if (output.extension() != ".html")
      throw ConfigError(
          fmt::format("--output {}: a report is written as .html. Give a name that ends so.", request_.output));
    check_replaceable(output);
    std::error_code error;
    if (fs::exists(output, error) && content_of_file(output).find(report_mark) == std::string::npos)
      throw ConfigError(fmt::format(
          "--output {}: this is no report that Harmonium wrote, and it would be replaced. Give another name.",
          request_.output));
    const fs::path folder = folder_of_output(output, "--output");
    if (::access(folder.c_str(), W_OK) != 0)
      throw FileError(fmt::format("--output {}: no file can be made in {}: {}. Give another folder.", request_.output,
                                  folder.string(), std::strerror(errno)));
  }
  std::string of_one() {
    const RunRecord record = read_record(request_.runs[0]);
    const std::string model = checksum_of_model(request_.runs[0]);
    const Computed computed = compute(record, request_);
    keep_later(record.run, model, computed);
    Charts charts;
    return run_page(record, computed, request_, charts);
  }
  std::string of_several() {
    const std::vector<ComparedRun> runs = read_runs(request_.runs);
    std::vector<RunRecord> records;
    for (const std::string& run : request_.runs) records.push_back(read_record(run));
    ReportRequest each = request_;
    each.no_pictures = true;  // there is no place for them
    std::vector<Computed> computed;
    const auto n = static_cast<double>(records.size());
    for (std::size_t k = 0; k < records.size(); ++k) {
      const auto done = static_cast<double>(k);
      PartOfWork part(request_.display, done / n, (done + 1.0) / n, fmt::format("run {} of {}", k + 1, records.size()));
      part.progress(0.0, "");
      each.display = &part;
      const std::string model = checksum_of_model(request_.runs[k]);
      computed.push_back(compute(records[k], each));
      keep_later(records[k].run, model, computed.back());
    }
    each.display = request_.display;
    std::vector<ComputedStack> stacks;
    for (const std::string& stack : stacks_) stacks.push_back(compute_stack(stack, each));
    Charts charts;
    return comparison_page(runs, records, computed, {sweeps_, stacks}, request_, charts);
  }

  void keep_later(const ComparedRun& run, const std::string& model, const Computed& computed) {
    std::vector<MetricSeries> figures = computed_likelihoods(run, computed);
    if (!figures.empty() && !model.empty()) kept_.push_back({run.path, model, std::move(figures)});
  }
  /// Once the page is written, so that whoever stops it has neither.
  void keep_computed(Terminal& terminal) const {
    std::size_t runs = 0;
    for (const Kept& kept : kept_) try {
        keep_likelihoods(kept.folder, kept.model, kept.figures);
        ++runs;
      } catch (const FileError& error) {  // the page has them all the same
        terminal.warn(fmt::format("the likelihoods of {} are in the page alone: {}", kept.folder, error.what()));
      }
    if (runs > 0 && !quiet_)
      terminal.note(fmt::format("the likelihoods of {} are kept in {} ({}), where 'harmonium compare' finds them{}.",
                                runs == 1 ? "the run" : fmt::format("{} runs", runs),
                                runs == 1 ? "its folder" : "their folders", kept_likelihood_file,
                                sweeps_.empty() ? "" : ", and 'harmonium sweep --gather' for sweep.csv"));
  }

  /// What was computed of a model, by its checksum before.
  struct Kept {
    std::string folder, model;
    std::vector<MetricSeries> figures;
  };
  std::vector<Kept> kept_;
  std::vector<std::string> sweeps_, stacks_;
};

}  // namespace

std::unique_ptr<Command> report_command() { return std::make_unique<Report>(); }

}  // namespace v1
}  // namespace harmonium
