#include <algorithm>
#include <charconv>
#include <filesystem>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/core/unfinished.hpp>
#include <harmonium/framework/execution/thread_limit.hpp>
#include <harmonium/framework/files/output_folder.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/report/words.hpp>
#include <harmonium/program/run_order.hpp>
#include <harmonium/program/sweep/other_settings.hpp>
#include <harmonium/program/sweep/sweep_slurm.hpp>
#include <harmonium/program/unlike_units.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* sweep_more =
    "SWEEP.toml names a configuration and what is set in it: base = \"CONFIG.toml\"; seed = [1, 2, 3]; [grid] with "
    "lists "
    "of\n"
    "values; [random] with points = N and ranges { low, high, scale = \"log\", integer = true }; [[list]] tables of "
    "settings.\n"
    "Each of the list, of the grid's points and of the random ones makes a run with each seed. All are checked before "
    "the\n"
    "first one starts. DIR receives runs/, sweep.csv with a row for each run, and figures of means over seeds.\n"
    "Given again, the command keeps runs that are over and goes on with the others; the table is then the same, to the "
    "byte.\n"
    "Runs that fail are told in the table, and the exit status is 1.";

/// "I/N".
SweepShare share_of(const std::string& text) {
  SweepShare share;
  const char *begin = text.data(), *end = begin + text.size();
  const auto index = std::from_chars(begin, end, share.index);
  if (index.ec == std::errc{} && index.ptr != end && *index.ptr == '/') {
    const auto count = std::from_chars(index.ptr + 1, end, share.count);
    if (count.ec == std::errc{} && count.ptr == end && share.index >= 1 && share.index <= share.count) return share;
  }
  throw ConfigError(
      fmt::format("--task {}: write I/N, the task's number from 1 on and how many there are, such as 3/8.", text));
}

class SweepCommand final : public RequestCommand<TrainRequest> {
 public:
  SweepCommand()
      : RequestCommand(
            "sweep", "Make many runs: a grid, random points, seeds", sweep_more,
            {"harmonium sweep sweep.toml --jobs 2", "harmonium sweep sweep.toml --output parts --task 1/2"}) {}

  void declare(CLI::App& command) override {
    add_file(command, "SWEEP.toml", path_, "What is varied, and in which configuration")->required();
    add_name(command, "--output", output_, "DIR", "Folder of the sweep (default: SWEEP, without .toml)");
    add_count(command, "--jobs", jobs_, "N", 1, "Runs side by side (default: as many as threads)");
    add_positive(command, "--memory", memory_, "GB", "Memory for all runs together (default: the machine's)");
    add_name(command, "--task", task_, "I/N", "Make the runs of task I of N alone, and no table");
    command.add_flag("--gather", gather_, "Make no run: write the table and the figures of those that are over");
    add_name(command, "--sort", sort_, "FIGURE",
             "Order the table by a figure, the greatest first where more is better, else the least");
    command.add_flag("--slurm", slurm_, "Submit the sweep to Slurm: an array job, and one that gathers");
    add_name(command, "--slurm-options", slurm_request_.options, "TEXT",
             "Options of sbatch besides those of [slurm], as in '--partition=long --time=10:00:00'");
    command.add_flag("--dry-run", dry_run_,
                     "Check all configurations, and say how long runs take; with --slurm, write its scripts");
    add_count(command, "--epochs", request_.epochs, "N", 1,
              "Length of each run, short for --set training.num_epochs=N");
    add_common(command, request_, quiet_, "training.num_epochs=20; in the base");
  }
  void settle() override {
    if (gather_ && !task_.empty())
      throw ConfigError("--gather makes no run, and --task is about some. Give one of them.");
    if (gather_ && dry_run_)
      throw ConfigError("--gather makes no run, so that there is none to check. Give one of them.");
    if (slurm_ && (gather_ || !task_.empty() || jobs_ || memory_ || request_.threads > 0))
      throw ConfigError(
          "--slurm has each task make its runs one after another with what Slurm gives it: leave out --task, --gather, "
          "--jobs, --memory and --threads, and say in [slurm] or --slurm-options what a task needs, such as "
          "--cpus-per-task.");
    if (!sort_.empty() && (!task_.empty() || dry_run_ || slurm_))
      throw ConfigError(
          "--sort orders the table, and --task, --dry-run and --slurm write none. Give it with --gather, once the runs "
          "are over.");
    if (!slurm_ && !slurm_request_.options.empty())
      throw ConfigError("--slurm-options are for --slurm, which is not given. Add it.");
    if (!task_.empty()) share_ = share_of(task_);
    slurm_request_.sweep = path_;
    if (output_.empty()) output_ = std::filesystem::path(path_).stem().string();
    check_output_folder(output_);
  }
  int run(Terminal& terminal) override {
    WholeSweep sweep(path_, output_, request_);
    if (gather_) {
      check_gathered(sweep.runs(), sweep.folder());
      return gather(sweep, terminal);
    }
    sweep.assemble(share_);
    check_memory(sweep);
    terminal.finish();
    if (slurm_ && !sweep.tasks().empty()) return hand_to_slurm(sweep);
    if (dry_run_) return tell(sweep);
    const UnfinishedWork unfinished;  // from here on a signal is for the runs
    sweep.write();
    const SweepLimits limits = limits_for(sweep.tasks().size());
    const bool ended = SweepWork(sweep.folder(), sweep.tasks(), limits, request_).go();
    terminal.finish();
    if (!ended) {
      say("harmonium: the sweep was stopped. The same command goes on.");
      return 1;
    }
    return task_.empty() ? gather(sweep, terminal) : end_of_task(sweep);
  }

 private:
  double bytes() const { return memory_ ? *memory_ * 1e9 : machine_memory(); }

  SweepLimits limits_for(std::size_t runs) const {
    const int machine = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const int threads = threads_to_be_had(request_.threads > 0 ? request_.threads : machine);
    const auto most = static_cast<int>(std::clamp<std::size_t>(runs, 1, 4096));
    const int jobs = std::min(jobs_ ? static_cast<int>(std::min<std::uint64_t>(*jobs_, 4096)) : threads, most);
    return {jobs, std::max(1, threads / jobs), bytes()};
  }

  void check_memory(const WholeSweep& sweep) const {
    if (!memory_) return;  // each was held to the machine's
    for (const SweepTask& task : sweep.tasks())
      if (task.bytes > bytes())
        throw ConfigError(fmt::format("--memory {}: a run takes about {} alone. Give more, or take smaller models.",
                                      *memory_, bytes_in_words(task.bytes)));
  }

  int tell(const WholeSweep& sweep) const {
    double most = 0.0;
    for (const SweepTask& task : sweep.tasks()) most = std::max(most, task.bytes);
    write_out(fmt::format("{} runs, {} of them to be made; the largest takes about {}\n", sweep.runs().runs.size(),
                          sweep.tasks().size(), bytes_in_words(most)));
    if (!slurm_ && !sweep.tasks().empty()) tell_time(sweep);
    return 0;
  }

  /// On this machine: that of a Slurm's nodes is not known here.
  void tell_time(const WholeSweep& sweep) const {
    const SweepLimits limits = limits_for(sweep.tasks().size());
    try {
      const SweepSeconds seconds = sweep.seconds(limits);
      write_out(fmt::format(
          "time: {}about {} with {} at a time, {} of it for updates; an estimate from a second of the "
          "longest and one time each of what it measures, draws and finds at its end, on this machine as it "
          "is now\n",
          seconds.at_most ? "at most " : "", time_words(seconds.all), limits.jobs, time_words(seconds.updates)));
    } catch (const Stopped&) {
      throw;
    } catch (const Error& error) {
      write_out(fmt::format("time: not known, for the first updates of the longest fail: {}\n", error.what()));
    }
  }

  int hand_to_slurm(const WholeSweep& sweep) const {
    const SlurmScripts scripts = write_slurm_scripts(sweep, slurm_request_, request_);
    if (dry_run_) {
      write_out(fmt::format("{}\n{}\n", scripts.array, scripts.gather));
      return tell(sweep);
    }
    const auto [array, gathering] = submit(scripts);
    if (!quiet_)
      write_out(fmt::format("job {}: {} tasks\njob {}: gathers into {}\n", array, scripts.tasks, gathering,
                            (sweep.folder().path() / "sweep.csv").string()));
    return 0;
  }

  int gather(const WholeSweep& sweep, Terminal& terminal) const {
    sweep.folder().create();
    const SweepResults results = results_of(sweep.runs(), sweep.folder());
    const auto by = known_order(sort_, names_of(results.figures));
    const auto places = by ? places_of_runs(*by, results.figures) : std::nullopt;
    std::vector<std::size_t> order(results.ends.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::vector<std::string> unlike = unlike_units(results.logs, results.figures);
    const std::vector<std::string> files = sweep.write_results(results, places.value_or(order));
    terminal.finish();
    // Which figures there are is known once runs are over: whoever misspells one keeps what was made.
    if (!sort_.empty() && !places)
      throw ConfigError(fmt::format("{} {} has the order of the sweep; with --gather no run is made again.",
                                    unknown_order(sort_, names_of(results.figures)), files.front()));
    if (!quiet_)
      for (const std::string& file : files)
        write_out(file + (places && file == files.front() ? ": " + order_words(*by) + order_aside(*by, unlike) : "") +
                  "\n");
    if (!quiet_ && !unlike.empty()) say("harmonium: note: " + words_on_units(unlike));
    const std::size_t all = results.ends.size(), finished = results.count(SweepEnd::State::finished);
    if (finished == all) return 0;
    say(fmt::format("harmonium: {} of {} runs finished, {} diverged, {} failed, {} are unfinished. {} says which.",
                    finished, all, results.count(SweepEnd::State::diverged), results.count(SweepEnd::State::failed),
                    results.unfinished(), files.front()));
    return 1;
  }

  /// The same of the runs of a task, which writes no table.
  int end_of_task(const WholeSweep& sweep) const {
    for (std::size_t r = 0; r < sweep.runs().runs.size(); ++r) {
      if (!share_.has(r)) continue;
      const auto end = sweep.folder().end(sweep.runs().runs[r].name);
      if (!end || end->state != SweepEnd::State::finished) return 1;
    }
    return 0;
  }

  std::string path_, output_, task_, sort_;
  std::optional<std::uint64_t> jobs_;
  std::optional<double> memory_;
  bool gather_ = false, dry_run_ = false, slurm_ = false;
  SlurmRequest slurm_request_;
  SweepShare share_;
};

}  // namespace

std::unique_ptr<Command> sweep_command() { return std::make_unique<SweepCommand>(); }

}  // namespace v1
}  // namespace harmonium
