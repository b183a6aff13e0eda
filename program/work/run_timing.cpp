#include <harmonium/program/work/run_timing.hpp>

#include <chrono>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Stops a run after a second of updates.
class Stopwatch final : public TrainingHost {
 public:
  Verdict between_updates(const TrainingPosition&, bool) override {
    const double now = since(start_);
    if (updates_ == 0) first_ = now;
    ++updates_;
    total_ = now;
    return total_ < 1.0 ? Verdict::go_on : Verdict::stop;
  }
  void recorded(std::uint64_t, std::uint64_t, const MetricRecord&, double) override {}

  double total() const { return total_; }
  /// Of an update. The first also makes what all of them use, and does not count where there are others.
  double seconds() const { return updates_ > 1 ? (total_ - first_) / static_cast<double>(updates_ - 1) : total_; }

 private:
  using Clock = std::chrono::steady_clock;
  static double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

  Clock::time_point start_ = Clock::now();
  std::uint64_t updates_ = 0;
  double first_ = 0.0, total_ = 0.0;
};

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
  TrainingPosition position;
  try {
    experiment.run_unobserved(position, watch, executor);
  } catch (const Stopped&) {
    throw;
  } catch (const Error& error) {
    return fmt::format("time: not known, for the first updates of the run fail: {}\n", error.what());
  }
  const double seconds = watch.seconds();
  return fmt::format(
      "time: {} updates a second, {} an epoch, {}{} for the whole run; an estimate from {:.2g} s of it on this machine "
      "as it is now ({} {}); what observers measure and pictures come on top\n",
      rate_words(1.0 / seconds), duration_words(seconds * static_cast<double>(per_epoch)),
      training.stop_early.follow.metric ? "at most " : "", duration_words(seconds * static_cast<double>(updates)),
      watch.total(), executor.threads(), executor.threads() == 1 ? "thread" : "threads");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
