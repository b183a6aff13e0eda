#include <harmonium/program/work/resume.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/metrics_log.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/program/work/run_length.hpp>
#include <harmonium/program/work/spelt_out_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// A checkpoint goes on under its own configuration: only how long the run is may have been changed, which checkpoints it
/// writes, and what is drawn.
void check_same_config(const std::filesystem::path& checkpoint, const Value& effective, const Registries& registries) {
  const auto without_length = [](Value config) {
    if (Value* training = config.find("training")) {
      for (const char* name :
           {"num_epochs", "num_updates", "checkpoint_every", "checkpoint_minutes", "checkpoint_keep"})
        training->erase(name);
    }
    config.erase("pictures");
    return config;
  };
  Value own = read_model_header(checkpoint).config;
  // Earlier versions wrote a preset of models by its name, not what it stands for.
  if (Value* model = own.find("model"); model && model->find("type") && !(*model == *effective.find("model")))
    *model = spelt_out_model(*model, registries);
  if (without_length(std::move(own)) == without_length(effective)) return;
  throw ConfigError(fmt::format(
      "--resume: config.toml is not the configuration that {} was written under. Only training.num_epochs, "
      "training.num_updates, training.checkpoint_* and [pictures] may differ: put the rest back, or start a "
      "new run.",
      checkpoint.string()));
}

std::optional<std::uint64_t> whole_updates(const Value& config, std::uint64_t updates_per_epoch) {
  const auto updates = updates_asked(config, static_cast<double>(updates_per_epoch));
  if (!updates) return {};
  return static_cast<std::uint64_t>(*updates);
}

/// Whether a run could end before its length.
bool could_stop_early(const Value& config) {
  const Value* training = config.find("training");
  return training && training->is_table() && training->find("stop_early");
}

}  // namespace

std::optional<std::uint64_t> length_in_file(const std::filesystem::path& file, std::uint64_t updates_per_epoch) {
  return whole_updates(read_model_header(file).config, updates_per_epoch);
}

std::optional<RunEnd> end_of_run(const std::filesystem::path& folder, std::uint64_t updates_per_epoch,
                                 std::uint64_t fallback) {
  const std::filesystem::path model = folder / "model.h5", log = folder / "metrics.jsonl";
  if (!std::filesystem::exists(model)) return {};
  const ModelHeader header = read_model_header(model);
  const std::uint64_t meant = whole_updates(header.config, updates_per_epoch).value_or(fallback);
  if (header.updates) return RunEnd{*header.updates, meant};
  // Files of earlier versions do not say; the log of a run that stopped early ends there.
  if (!could_stop_early(header.config) || !std::filesystem::exists(log)) return RunEnd{meant, meant};
  const std::uint64_t logged = read_metrics_log(log).updates;
  return RunEnd{logged > 0 ? std::min(logged, meant) : meant, meant};
}

ResumePoint checked_point(const std::filesystem::path& folder, Display* display) {
  ResumePoint point = resume_point(folder);
  check_checkpoints(folder, point);
  if (display && !point.strangers.empty())
    display->warn(
        fmt::format("{} is not among the checkpoints that this run has written (checkpoints.jsonl), and is left "
                    "out: a kill came between the two, or it is another run's.",
                    point.strangers.front().string()));
  return point;
}

void restore(const ResumePoint& from, const Registries& registries, Experiment& experiment,
             TrainingPosition& position) {
  const std::filesystem::path& file = *from.checkpoint;
  check_same_config(file, experiment.effective_config(), registries);
  check_same_data(file, experiment.origin().files);
  load_parameters(file, experiment.model());
  StateArchive::Fields fields = load_state(file);
  try {
    StateArchive archive(std::move(fields), experiment.sizes());
    archive.group("position", position);
    if (position.update != from.update)
      archive.refuse("position/update",
                     fmt::format("is {}, and the file is named after {}", position.update, from.update));
    experiment.state(archive);
  } catch (const DataError& error) {
    throw DataError(
        fmt::format("{}: {}. The file is damaged: remove it to go on from an earlier one, or start a new run.",
                    file.string(), error.what()));
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
