#include <harmonium/framework/run/start_model.hpp>

#include <fmt/format.h>

#include <harmonium/framework/config/spelled_out.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/folder_of_sweep.hpp>
#include <harmonium/framework/files/sha256.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/run/grown_model.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/sections.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

namespace fs = std::filesystem;

/// The entry as a table: a string is its path.
Value table_of_entry(const Value& entry) {
  Value table = spelled_out(entry, "path");
  if (table.is_table()) return table;
  throw ConfigError(fmt::format("{}'start_from' must be the path of a model, or a table with it, not {}.",
                                written_at(entry), entry.type_name()));
}

}  // namespace

void StartModel::Options::bind(OptionBinder& o) {
  o.option("path", path, "model file, or folder of a run, whose parameters the training starts with");
  o.option("sha256", sha256, "checksum that the file must have; empty: any");
  o.option("burn_in", burn_in,
           "transitions that persistent chains make from rows of the data before the first update; 0: they begin as "
           "those of a new model",
           at_least(0));
}

void StartModel::Options::validate() const {
  if (path.empty()) throw ConfigError("'path' is missing. Name a model file, or the folder of a run.");
}

std::optional<StartModel> StartModel::of(const Value& config, const std::string& folder, bool may_be_gone) {
  const Value* entry = config.find("start_from");
  if (!entry) return {};
  Value table = table_of_entry(*entry);
  make_absolute(table.find("path"), folder);
  Options options;
  read_options(table, "start_from", options);
  StartModel start;
  start.place_ = written_at(table);
  start.path_ = options.path;
  start.sha256_ = options.sha256;
  start.burn_in_ = options.burn_in;
  std::error_code error;
  if (fs::is_directory(start.path_, error)) start.path_ /= "model.h5";
  const bool there = fs::exists(start.path_, error);
  if (!there && !may_be_gone) {
    refuse_sweep(options.path, start.place_ + "start_from: ");
    throw ConfigError(
        fmt::format("{}start_from: there is no file {}. Name a model file, or the folder of a run that ended.",
                    start.place_, start.path_.string()));
  }
  const std::string found = there ? sha256_of_file(start.path_) : "";
  if (there && !options.sha256.empty() && found != options.sha256 && !may_be_gone)
    throw ConfigError(
        fmt::format("{}start_from: {} is not the file that is meant (its SHA-256 is {}, and the configuration has {}). "
                    "Put that file back, or remove 'sha256' to start from the file as it is now.",
                    start.place_, start.path_.string(), found, options.sha256));
  start.known_ = there && (options.sha256.empty() || found == options.sha256);
  if (start.known_) start.sha256_ = found;
  return start;
}

Value StartModel::effective() const {
  return make_table({{"path", make_value(path_.string())},
                     {"sha256", make_value(sha256_)},
                     {"burn_in", make_value(static_cast<std::int64_t>(burn_in_))}});
}

std::vector<std::string> StartModel::put_into(EnergyModel& model, const Registries& registries,
                                              const Execution& execution) const {
  std::unique_ptr<EnergyModel> from;
  try {
    from = load_model(path_, read_model_header(path_), registries);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}start_from: {}", place_, error.what()));
  }
  const StackedMachines *to = stacked_machines(model), *its = stacked_machines(*from);
  if (to && its && to->untied() && !its->untied()) from = its->untied_copy();
  try {
    return grow(*from, model, execution);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format(
        "{}start_from: {}: {} Give [model] the layers of that file ('harmonium explain {}' shows them), or start from "
        "another model.",
        place_, path_.string(), error.what(), path_.string()));
  } catch (const NumericalError& error) {
    throw ConfigError(fmt::format("{}start_from: {}: with the new units, {}. Let [initializer] draw smaller ones.",
                                  place_, path_.string(), error.what()));
  }
}

bool StartModel::same_units(const Transform* own) const {
  const std::shared_ptr<const Transform> its = load_transform(path_);
  if (!its || !own) return !its && !own;
  return its->kind() == own->kind() && its->mean() == own->mean() && its->scale() == own->scale() &&
         its->matrix() == own->matrix();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
