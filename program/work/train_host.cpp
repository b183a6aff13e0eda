#include <harmonium/program/work/train_host.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/files/metrics_log.hpp>
#include <harmonium/framework/pictures/gnuplot.hpp>
#include <harmonium/framework/pictures/picture_index.hpp>
#include <harmonium/framework/pictures/run_curves.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// While models become better with every epoch, a file of each would take longer than their training.
constexpr std::chrono::seconds between_bests{5};

std::string line_of_record(std::uint64_t epoch, std::uint64_t update, const MetricRecord& record) {
  std::string line = fmt::format("{{\"epoch\":{},\"update\":{}", epoch, update);
  for (const auto& [name, value] : record) line += fmt::format(",\"{}\":{:.17g}", name, value);
  return line + "}";
}

}  // namespace

TrainHost::TrainHost(Experiment& experiment, const RunFolder& folder, const TrainRequest& request, std::uint64_t start,
                     const Execution& execution)
    : experiment_(experiment),
      folder_(folder),
      request_(request),
      execution_(execution),
      total_(experiment.training().total_updates(experiment.updates_per_epoch())),
      counted_(start),
      figures_(experiment.training(), experiment.figures(), experiment.epochs_of(total_)) {
  if (start == 0 || start >= total_) return;
  remove_passed(start);  // a kill may have come between a checkpoint and this
  try {
    figures_.take_up(read_metrics_log(folder.metrics_path()));
  } catch (const Error&) {  // they are measured anew
  }
}

void TrainHost::judge_last(std::uint64_t update, const Executor& executor) {
  const MetricRecord record = experiment_.judge_last(update, executor);
  if (!record.empty()) folder_.append_metrics(line_of_record(experiment_.epochs_of(update), update, record));
}

void TrainHost::recorded(std::uint64_t epoch, std::uint64_t update, const MetricRecord& record, double measuring) {
  folder_.append_metrics(line_of_record(epoch, update, record));
  const double seconds = std::chrono::duration<double>(Clock::now() - epoch_start_).count() - measuring;
  folder_.append_timing(fmt::format(
      "{{\"epoch\":{},\"update\":{},\"seconds\":{:.6f},\"metrics_seconds\":{:.6f},\"updates_per_second\":{:.3f},"
      "\"threads\":{}}}",
      epoch, update, seconds, measuring, static_cast<double>(update - counted_) / seconds,
      execution_.executor.threads()));
  epoch_start_ = Clock::now();
  counted_ = update;
  figures_.take(epoch, record);
  if (Clock::now() - best_time_ > between_bests) write_best();
}

void TrainHost::write_best() {
  const BestModel* best = experiment_.best();
  if (!best || best->update() == best_written_) return;
  write_model(folder_.best_path(), experiment_.model(), experiment_.effective_config(), experiment_.origin(),
              KeptParameters{best->parameters(), best->metric(), best->value(), best->epoch(), best->update()});
  best_written_ = best->update();
  best_time_ = Clock::now();
}

Verdict TrainHost::between_updates(const TrainingPosition& position, bool epoch_over) {
  show(position, epoch_over);
  const std::uint64_t epoch = position.update / experiment_.updates_per_epoch();
  const bool asked = request_.stop && request_.stop->load();
  if (asked || checkpoint_due(position, epoch_over)) checkpoint(position);
  if (asked && position.update < total_) {
    stopped_ = true;
    return Verdict::stop;
  }
  // The end has its own, once the model is safe.
  if (epoch_over && position.update < total_ && experiment_.pictures().due(epoch)) draw();
  return Verdict::go_on;
}

void TrainHost::show(const TrainingPosition& position, bool epoch_over) {
  constexpr std::chrono::milliseconds between{50};  // a text takes longer than the update of a small model
  const bool logged = static_cast<bool>(request_.epoch_ended);
  const double made = static_cast<double>(position.update) / static_cast<double>(total_);
  if (logged && !epoch_over) {
    if (!request_.within_epoch || Clock::now() - shown_ < between) return;
    shown_ = Clock::now();
    request_.within_epoch(made, text_at(position, logged, ""));
    return;
  }
  const bool early = epoch_over && position.update < total_ && experiment_.stopped_early();
  const bool over = early || position.update == total_;
  if (logged || text_.empty() || over || Clock::now() - shown_ >= between) {
    shown_ = Clock::now();
    text_ = text_at(position, logged, early ? ", stopped early" : "");
  }
  const double share = over ? 1.0 : made;
  if (logged) request_.epoch_ended(share, text_);
  else if (request_.display) request_.display->progress(share, text_);
}

std::string TrainHost::text_at(const TrainingPosition& position, bool logged, const char* behind) const {
  std::vector<std::string> parts = logged ? figures_.all() : figures_.known();
  // Where there is little room, the first figure is what it is for; a log is read from the left.
  parts.insert(
      parts.begin() + (logged || parts.empty() ? 0 : 1),
      fmt::format("epoch {}/{}{}", experiment_.epochs_of(position.update), experiment_.epochs_of(total_), behind));
  return fmt::format("{}", fmt::join(parts, "  "));
}

bool TrainHost::checkpoint_due(const TrainingPosition& position, bool epoch_over) const {
  const TrainingOptions& training = experiment_.training();
  const std::uint64_t epoch = position.update / experiment_.updates_per_epoch();
  if (training.checkpoint_every > 0 && epoch_over && epoch % training.checkpoint_every == 0) return true;
  // One that is made longer goes on from its end, and knows by it whether it had stopped.
  const bool kept = training.checkpoint_every > 0 || training.checkpoint_minutes > 0.0;
  if (kept && (position.update == total_ || (epoch_over && experiment_.stopped_early()))) return true;
  return training.checkpoint_minutes > 0.0 &&
         std::chrono::duration<double, std::ratio<60>>(Clock::now() - checkpoint_time_).count() >=
             training.checkpoint_minutes;
}

void TrainHost::remove_passed(std::uint64_t update) const {
  const TrainingOptions& training = experiment_.training();
  folder_.remove_checkpoints(update, [&](std::uint64_t earlier) {
    return training.keeps_checkpoint(earlier, experiment_.updates_per_epoch());
  });
}

void TrainHost::draw() {
  const Clock::time_point before = Clock::now();
  RunPictures& pictures = experiment_.pictures();
  for (const std::string& name : pictures.which()) {
    if (name == curves_picture) continue;
    try_to_draw([&] {
      const Picture picture = pictures.draw(name, experiment_.model(), experiment_.data().train, execution_);
      write_picture(folder_.picture_path(name + ".png"), picture);
    });
  }
  if (!pictures.which().empty()) try_to_draw([&] { write_picture_index(folder_.pictures_path()); });
  epoch_start_ += Clock::now() - before;  // it is no training
}

void TrainHost::draw_curves() {
  const std::vector<std::string>& which = experiment_.pictures().which();
  if (no_pictures_ || std::ranges::find(which, curves_picture) == which.end()) return;
  const auto gnuplot = find_gnuplot();
  if (!gnuplot) {
    if (request_.display)
      request_.display->warn(
          without_gnuplot("the curves of the run are left out",
                          "draw them with 'harmonium draw RUN', or leave 'curves' out of pictures.which"));
    return;
  }
  try_to_draw([&] {
    if (draw_run_curves(*gnuplot, folder_.metrics_path(), folder_.picture_path("curves.svg")))
      write_picture_index(folder_.pictures_path());
  });
}

void TrainHost::try_to_draw(FunctionRef<void()> work) {
  if (no_pictures_) return;
  try {
    work();
  } catch (const Error& error) {
    folder_.check_still_there();
    no_pictures_ = true;
    const std::string_view why = error.what();
    if (request_.display)
      request_.display->warn(fmt::format("{}{} The run goes on without pictures.", why, why.ends_with('.') ? "" : "."));
  }
}

void TrainHost::checkpoint(TrainingPosition position) {
  StateArchive archive;
  archive.group("position", position);
  experiment_.state(archive);
  folder_.flush_logs();
  write_best();
  write_model(folder_.checkpoint_path(position.update), experiment_.model(), experiment_.effective_config(),
              experiment_.origin(), &archive.fields());
  folder_.list_checkpoint(position.update);
  remove_passed(position.update);
  checkpoint_time_ = Clock::now();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
