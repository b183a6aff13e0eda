#pragma once

#include <chrono>
#include <string>

#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/framework/run/run_folder.hpp>
#include <harmonium/program/work/requests.hpp>
#include <harmonium/program/work/watched_figures.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Writes the logs and checkpoints of one run, draws its pictures, and shows how it goes.
class TrainHost final : public TrainingHost {
 public:
  /// From the update `start` on. All that it is given must outlive it.
  TrainHost(Experiment& experiment, const RunFolder& folder, const TrainRequest& request, std::uint64_t start,
            const Execution& execution);

  void recorded(std::uint64_t epoch, std::uint64_t update, const MetricRecord& record, double measuring) override;
  Verdict between_updates(const TrainingPosition& position, bool epoch_over) override;
  /// Draws the pictures of the run's model as it stands, and the page that shows all. A picture that cannot be had costs no
  /// run: that is told once, and no more are drawn.
  void draw();
  /// Draws the curves of what was measured, and the page.
  void draw_curves();
  /// Judges the model that the run has ended with after `update` updates by the figure that the best one is chosen by, where that was
  /// not due then, and adds a line to the log.
  void judge_last(std::uint64_t update, const Executor& executor);
  /// Writes the best model so far, where one is kept and the file has another.
  void write_best();
  /// Whether a signal ended it.
  bool stopped() const { return stopped_; }

 private:
  using Clock = std::chrono::steady_clock;
  void show(const TrainingPosition& position, bool epoch_over);
  /// `behind`: what is said of the epoch.
  std::string text_at(const TrainingPosition& position, bool logged, const char* behind) const;
  bool checkpoint_due(const TrainingPosition& position, bool epoch_over) const;
  void checkpoint(TrainingPosition position);
  /// Takes away earlier checkpoints that were only there to go on from.
  void remove_passed(std::uint64_t update) const;
  void try_to_draw(FunctionRef<void()> work);

  Experiment& experiment_;
  const RunFolder& folder_;
  const TrainRequest& request_;
  Execution execution_;
  bool no_pictures_ = false, stopped_ = false;
  std::uint64_t best_written_ = 0;  ///< update of the model in best.h5
  Clock::time_point best_time_{};
  std::uint64_t total_, counted_;
  Clock::time_point epoch_start_ = Clock::now(), checkpoint_time_ = Clock::now();
  WatchedFigures figures_;
  Clock::time_point shown_{};
  std::string text_;  ///< as of then
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
