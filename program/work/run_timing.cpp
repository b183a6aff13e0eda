#include <harmonium/program/work/run_timing.hpp>

#include <algorithm>
#include <chrono>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/pictures/gnuplot.hpp>
#include <harmonium/framework/training/followed_figure.hpp>
#include <harmonium/program/work/gradient_left.hpp>
#include <harmonium/program/work/likelihood_of_rows.hpp>
#include <harmonium/program/work/verdict.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

using TimingClock = std::chrono::steady_clock;

constexpr double most_seconds = 10.0;  // that are spent on what a run does beside its updates

double seconds_from(TimingClock::time_point start) {
  return std::chrono::duration<double>(TimingClock::now() - start).count();
}

/// Stops a run after some time of updates.
class Stopwatch final : public TrainingHost {
 public:
  explicit Stopwatch(double seconds = 1.0) : most_(seconds) {}
  Verdict between_updates(const TrainingPosition&, bool) override {
    const double now = seconds_from(start_);
    if (updates_ == 0) first_ = now;
    ++updates_;
    total_ = now;
    return total_ < most_ ? Verdict::go_on : Verdict::stop;
  }
  void recorded(std::uint64_t, std::uint64_t, const MetricRecord&, double) override {}

  double total() const { return total_; }
  /// Of an update. The first also makes what all of them use, and does not count where there are others.
  double seconds() const { return updates_ > 1 ? (total_ - first_) / static_cast<double>(updates_ - 1) : total_; }

 private:
  TimingClock::time_point start_ = TimingClock::now();
  std::uint64_t updates_ = 0;
  double most_, first_ = 0.0, total_ = 0.0;
};

Stopwatch timed_updates(Experiment& experiment, const Executor& executor, Stopwatch watch = Stopwatch()) {
  TrainingPosition position;
  experiment.run_unobserved(position, watch, executor);
  return watch;
}

/// What the observers of a run take.
struct MeasuringTime {
  double spent = 0.0, in_all = 0.0;   ///< seconds: to find it out, and along the whole run
  std::vector<std::string> left_out;  ///< those that were not asked
};

/// Epochs between two times that an observer measures; 0: it never does.
std::uint64_t epochs_between(const Observer& observer, const RunOutline& outline) {
  const auto* source = dynamic_cast<const FigureSource*>(&observer);
  if (!source) return 1;
  std::uint64_t least = 0;
  for (const MeasuredFigure& figure : source->figures(outline))
    least = least == 0 ? figure.every : std::min<std::uint64_t>(least, figure.every);
  return least;
}

/// Asks each observer at an epoch when it is due; those that are left when much time has gone are not asked.
MeasuringTime time_of_measuring(Experiment& experiment, std::uint64_t updates, const Executor& executor) {
  constexpr double short_seconds = 0.2;
  const RunOutline outline = experiment.run_outline();
  const Execution observing = Execution{executor, experiment.random()}.part("observers");
  MeasuringTime time;
  for (const auto& [name, observer] : experiment.observers()) {
    const std::uint64_t every = epochs_between(*observer, outline);
    const std::uint64_t times = every == 0 ? 0 : experiment.epochs_of(updates) / every;
    if (times == 0) continue;
    if (time.spent > most_seconds) {
      time.left_out.push_back(name);
      continue;
    }
    const Execution own = observing.part(name);
    const EpochEnd end{every, every * experiment.updates_per_epoch(), experiment.model(), experiment.run_data(), own};
    try {
      double seconds = 0.0;
      // The first time also makes what all others use.
      for (int turn = 0; turn < 2 && (turn == 0 || seconds < short_seconds); ++turn) {
        const TimingClock::time_point start = TimingClock::now();
        MetricRecord unused;
        observer->epoch_ended(end, unused);
        seconds = seconds_from(start);
        time.spent += seconds;
      }
      time.in_all += seconds * static_cast<double>(times);
    } catch (const Stopped&) {
      throw;
    } catch (const Error&) {
      time.left_out.push_back(name);
    }
  }
  return time;
}

/// Of work that may fail, which is then over.
double seconds_of_work(FunctionRef<void()> work) {
  const TimingClock::time_point start = TimingClock::now();
  try {
    work();
  } catch (const Stopped&) {
    throw;
  } catch (const Error&) {
  }
  return seconds_from(start);
}

/// Of one time, without the curves.
double seconds_of_pictures(Experiment& experiment, const Executor& executor) {
  const Execution drawing{executor, experiment.random().child("pictures")};
  RunPictures& pictures = experiment.pictures();
  double seconds = 0.0;
  for (const std::string& name : pictures.which())
    if (name != curves_picture && seconds < most_seconds)
      seconds += seconds_of_work(
          [&] { static_cast<void>(pictures.draw(name, experiment.model(), experiment.data().train, drawing)); });
  return seconds;
}

/// A process of gnuplot, measured on a Zen 4.
double seconds_of_curves(Experiment& experiment) {
  constexpr double of_process = 0.1;
  return std::ranges::count(experiment.pictures().which(), curves_picture) > 0 && find_gnuplot() ? of_process : 0.0;
}

double pictures_before_end(Experiment& experiment, std::uint64_t epochs) {
  double times = 0.0;
  for (std::uint64_t epoch = 1; epoch < epochs; ++epoch) times += experiment.pictures().due(epoch) ? 1.0 : 0.0;
  return times;
}

/// What a run finds at its end beside pictures, as TrainRemarks gives it.
double seconds_of_end(Experiment& experiment, const Registries& registries, std::uint64_t updates,
                      const Executor& executor) {
  const EnergyModel& model = experiment.model();
  const Dataset& train = experiment.data().train;
  const Execution execution{executor, experiment.random().child("final")};
  const double operations = experiment.operations_per_update() * static_cast<double>(updates);
  MetricRecord judged;
  const double of_judging = seconds_of_work([&] { judged = experiment.judge_last(updates, executor); });
  const double of_likelihood = seconds_of_work([&] {
    exact_likelihoods(model, experiment.run_data(), 0, operations, value_of(judged, "log_z"), registries, execution);
  });
  double seconds = of_judging + of_likelihood;
  if (experiment.best()) seconds += seconds;  // of the best model log Z is another
  if (seconds < most_seconds)
    seconds += seconds_of_work([&] {
      gradient_left(model, train, experiment.effective_config(), experiment.own_values(), registries, execution);
    });
  if (seconds < most_seconds)
    seconds += seconds_of_work(
        [&] { verdict_of_run(model, train, operations, experiment.effective_config(), registries, execution); });
  return seconds;
}

std::string duration_words(double seconds) {
  if (seconds < 120.0) return fmt::format("{:.2g} s", seconds);
  if (seconds < 2.0 * 3600.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return seconds < 48.0 * 3600.0 ? fmt::format("{:.1f} h", seconds / 3600.0)
                                 : fmt::format("{:.1f} days", seconds / 86400.0);
}

/// Two digits mean something, of large numbers too.
std::string rate_words(double rate) { return rate < 100.0 ? fmt::format("{:.2g}", rate) : fmt::format("{:.0f}", rate); }

}  // namespace

std::string timing_text(Experiment& experiment, const Executor& executor) {
  const Index per_epoch = experiment.updates_per_epoch();
  const TrainingOptions& training = experiment.training();
  const std::uint64_t updates = training.total_updates(per_epoch);
  Stopwatch watch;
  try {
    watch = timed_updates(experiment, executor);
  } catch (const Stopped&) {
    throw;
  } catch (const Error& error) {
    return fmt::format("time: not known, for the first updates of the run fail: {}\n", error.what());
  }
  const double of_updates = watch.seconds() * static_cast<double>(updates);
  const MeasuringTime measuring = time_of_measuring(experiment, updates, executor);
  const std::string on_top =
      measuring.left_out.empty()
          ? "pictures and what is found at the end"
          : fmt::format("pictures, what is found at the end and what {} measure{}", fmt::join(measuring.left_out, ", "),
                        measuring.left_out.size() == 1 ? "s" : "");
  return fmt::format(
      "time: {} updates a second, {} an epoch, {}{} for the whole run, {} of it for what observers measure; an "
      "estimate from "
      "{:.2g} s of it on this machine as it is now ({} {}); {} come on top\n",
      rate_words(1.0 / watch.seconds()), duration_words(watch.seconds() * static_cast<double>(per_epoch)),
      training.stop_early.follow.metric ? "at most " : "", duration_words(of_updates + measuring.in_all),
      duration_words(measuring.in_all), watch.total() + measuring.spent, executor.threads(),
      executor.threads() == 1 ? "thread" : "threads", on_top);
}

double seconds_of_updates(Experiment& experiment, const Executor& executor) {
  constexpr double short_look = 0.1;
  const std::uint64_t updates = experiment.training().total_updates(experiment.updates_per_epoch());
  return timed_updates(experiment, executor, Stopwatch(short_look)).seconds() * static_cast<double>(updates);
}

RunSeconds seconds_of(Experiment& experiment, const Registries& registries, const Executor& executor) {
  const std::uint64_t updates = experiment.training().total_updates(experiment.updates_per_epoch());
  RunSeconds seconds;
  seconds.at_most = experiment.training().stop_early.follow.metric.has_value();
  seconds.updates = timed_updates(experiment, executor).seconds() * static_cast<double>(updates);
  const double of_pictures = seconds_of_pictures(experiment, executor);
  seconds.along = time_of_measuring(experiment, updates, executor).in_all +
                  of_pictures * pictures_before_end(experiment, experiment.epochs_of(updates));
  seconds.end = of_pictures + seconds_of_curves(experiment) + seconds_of_end(experiment, registries, updates, executor);
  return seconds;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
