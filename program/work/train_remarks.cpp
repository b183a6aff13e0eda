#include <harmonium/program/work/train_remarks.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/leak_file.hpp>
#include <harmonium/framework/run/data_random.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/training/figure_observer.hpp>
#include <harmonium/framework/training/schedule.hpp>
#include <harmonium/program/work/data_remarks.hpp>
#include <harmonium/program/work/relatives_words.hpp>
#include <harmonium/program/work/sequence_remarks.hpp>
#include <harmonium/program/work/unmeasured_words.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

std::string value_of(const Value& config, const char* section, const char* name) {
  const Value* table = *section == '\0' ? &config : config.find(section);
  const Value* found = table && table->is_table() ? table->find(name) : nullptr;
  return found && !found->is_empty() ? write_toml_value(*found) : "";
}

/// How the data was dealt that a model was trained on, where rows which a run of the configuration `own` sets aside were among it; empty
/// where they were not.
std::string other_split(const Value& start, const Value& own) {
  if (!sets_rows_aside(own)) return {};
  const std::string path = value_of(own, "data", "path");
  if (value_of(start, "data", "type") != value_of(own, "data", "type") || path != value_of(start, "data", "path"))
    return {};
  const std::uint64_t seed = data_seed(start);
  const bool same = seed == data_seed(own) &&
                    value_of(start, "data", "validation") == value_of(own, "data", "validation") &&
                    value_of(start, "data", "test") == value_of(own, "data", "test");
  if (same) return {};
  return fmt::format("dealt by seed {}, validation {}, test {}", seed, value_of(start, "data", "validation"),
                     value_of(start, "data", "test"));
}

/// What is kept of that: of the start's own rows, or where it was such a run itself.
std::string leak_of(const StartModel& start, const Value& own) {
  const Value config = read_model_header(start.path()).config;
  if (const std::string dealt = other_split(config, own); !dealt.empty())
    return fmt::format("rows that the run sets aside were among those that {} was trained on ({})",
                       start.path().string(), dealt);
  const bool same_data = value_of(config, "data", "type") == value_of(own, "data", "type") &&
                         value_of(config, "data", "path") == value_of(own, "data", "path");
  return same_data && sets_rows_aside(own) ? leak_in(start.path().parent_path()) : "";
}

/// That the figure of early stopping has too few values in so many epochs to end the run; empty where it has enough.
std::string too_few_values(const EarlyStopping& stop, std::uint64_t epochs) {
  const Index every = std::max<Index>(stop.every(), 1);
  const std::uint64_t values = epochs / every, needed = stop.patience() + 1;  // the first is what others are held to
  if (values >= needed) return {};
  const std::uint64_t longest = epochs / needed;
  const std::string due = every == 1 ? "at each epoch" : fmt::format("once in {} epochs", every);
  return fmt::format(
      "training.stop_early cannot end this run: {} is due {}, which makes {} of its values in {} epochs, and it takes "
      "{} (patience = {}). {}",
      stop.metric(), due, values, epochs, needed, stop.patience(),
      every > 1 && longest > 0 ? fmt::format("Set its observer's 'every' to {} or less ({}), or a smaller patience.",
                                             longest, setting_of_every(stop.metric(), longest))
                               : "Set a smaller patience, or train longer.");
}

}  // namespace

void TrainRemarks::of_length(const RunFolder& folder, std::uint64_t update, bool resumed) const {
  if (!display_) return;
  const auto counted = [](std::uint64_t count, const char* noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
  };
  display_->note(fmt::format("{} {}: {}, {}, {}", resumed ? "resuming" : "training", folder.path().string(),
                             counted(experiment_.data().train.rows(), "row"),
                             counted(experiment_.model().parameter_layout().size(), "parameter"),
                             counted(total_ - update, "update")));
}

void TrainRemarks::of_schedule(std::uint64_t made, std::uint64_t meant) const {
  if (!display_ || made == 0 || meant == total_) return;
  const Value* optimizer = experiment_.effective_config().find("optimizer");
  const Value* spec = optimizer ? optimizer->find("schedule") : nullptr;
  if (!spec) return;
  Value effective;
  const std::unique_ptr<Schedule> schedule = registries_.make<Schedule>(*spec, effective);
  constexpr std::uint64_t looked_at = 100;
  const std::uint64_t per_epoch = experiment_.updates_per_epoch();
  for (std::uint64_t i = 1; i <= looked_at; ++i) {
    const std::uint64_t update = (made - 1) * i / looked_at;
    if (schedule->factor({update, total_, per_epoch}) == schedule->factor({update, meant, per_epoch})) continue;
    display_->warn(fmt::format(
        "the schedule of the learning rate goes by the length of the run, and {} updates were made when that "
        "was {}: the model will not be that of {} updates from the start. Start anew for that one; schedules "
        "'constant', 'power' and 'step' do not go by the length.",
        made, meant, total_));
    return;
  }
}

void TrainRemarks::of_followed_rows() const {
  const RunData data = experiment_.run_data();
  const auto tell = [&](const char* option, const std::string& metric) {
    const std::string of_validation = "validation_" + metric;
    const auto& figures = experiment_.figures();
    if (!data.validation || std::ranges::find(figures, of_validation, &MeasuredFigure::name) == figures.end()) return;
    display_->warn(
        fmt::format("training.{} follows {}, which is of training rows. {} is that of the {} rows set aside.", option,
                    metric, of_validation, data.validation->rows()));
  };
  if (const BestModel* best = experiment_.best()) tell("keep_best", best->metric());
  if (const EarlyStopping* stop = experiment_.stop_early()) tell("stop_early", stop->metric());
}

void TrainRemarks::keep_leak(const RunFolder& folder) const {
  const StartModel* start = experiment_.start();
  const std::string leak = start ? leak_of(*start, experiment_.effective_config()) : "";
  if (!leak.empty()) write_file_atomically(folder.leak_path(), leak + "\n");
}

void TrainRemarks::at_start(bool fresh) const {
  if (!display_) return;
  const StartModel* start = fresh ? experiment_.start() : nullptr;
  if (start) {
    display_->note(fmt::format("starting from {}", start->path().string()));
    for (const std::string& layer : experiment_.grown()) display_->warn(fmt::format("layer {}", layer));
  }
  if (const Index steps = experiment_.burn_in(); fresh && steps > 0)
    display_->warn(fmt::format("new chains begin at rows of the data and move {} step{} before the first update.",
                               steps, steps == 1 ? "" : "s"));
  if (start) {
    if (!start->same_units(experiment_.data().train.transform().get()))
      display_->warn(fmt::format(
          "{} was trained on rows that were standardized or whitened otherwise than those of this run: its parameters "
          "are in other units.",
          start->path().string()));
    const Value config = read_model_header(start->path()).config;
    if (const std::string dealt = other_split(config, experiment_.effective_config()); !dealt.empty())
      display_->warn(
          fmt::format("{} was trained on other rows of the same data ({}): rows that this run sets aside were among "
                      "them, and figures of these are too good. Set data_seed={} and these shares.",
                      start->path().string(), dealt, data_seed(config)));
    else if (const std::string leak = leak_of(*start, experiment_.effective_config()); !leak.empty())
      display_->warn(leak + too_good);
  }
  if (fresh && !experiment_.guesses().empty()) display_->warn(experiment_.guesses());
  const std::uint64_t epochs = experiment_.epochs_of(total_);
  if (const EarlyStopping* stop = experiment_.stop_early(); stop && fresh)
    if (const std::string why = too_few_values(*stop, epochs); !why.empty()) display_->warn(why);
  if (fresh) of_followed_rows();
  tell_of_states(experiment_.data().train, experiment_.model().layout(), display_);
  for (const std::string& remark : data_remarks(experiment_.data().train, experiment_.model().layout()))
    display_->warn(remark);
  for (const std::string& remark : sequence_remarks(experiment_.data().train, experiment_.effective_config()))
    display_->warn(remark);
  for (const std::string& words :
       relatives_words(*experiment_.effective_config().find("data"), experiment_.data().train))
    display_->warn(words);
  const RunData data = experiment_.run_data();
  for (const Dataset* part : {data.validation, data.test})
    if (const std::string remark = part ? far_value_remark(*part, experiment_.model().layout()) : ""; !remark.empty())
      display_->warn(remark);
  for (const std::string& observer : experiment_.left_out()) display_->warn(observer);
  const auto told = [&](const std::string& why) {
    return std::ranges::any_of(experiment_.left_out(),
                               [&](const std::string& words) { return words.find(why) != std::string::npos; });
  };
  const std::string& dear = experiment_.dear_likelihood();
  if (!dear.empty() && fresh) display_->warn("log_likelihood is not measured: " + dear);
  for (const auto& [name, why] : fresh ? told_unmeasured(experiment_, registries_) : experiment_.unmeasured())
    if (name == "log_likelihood" && !told(why) && why != dear)
      display_->note(fmt::format("{} is not measured: {}", name, why));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
