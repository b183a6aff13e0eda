#include <harmonium/program/configuration.hpp>

#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/config/overrides.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// Most people who name a model file, or their data, here mean another command.
void refuse_other_file(const std::string& path) {
  if (!is_hdf5(path)) {
    if (path.ends_with(".toml") || !std::filesystem::is_regular_file(path) || !known_table_format(path)) return;
    throw ConfigError(fmt::format(
        "{0}: a file of data, not a configuration. 'harmonium init {0} --output CONFIG.toml' writes one for it.",
        path));
  }
  throw ConfigError(
      fmt::format("{}: an HDF5 file, such as a model, not a configuration. To use a model: harmonium "
                  "evaluate, sample or gradient.",
                  path));
}

/// What the command line sets in a configuration, and what gives way to it.
class Replacements {
 public:
  explicit Replacements(TrainRequest& request) : request_(request) {}

  void apply(const std::string& assignment, const std::string& written) {
    if (auto replaced = apply_override(request_.config, assignment, written))
      all_.emplace_back(written, std::move(*replaced));
  }
  /// Says what is gone; an option that was set again since is not.
  void tell() const {
    if (!request_.display) return;
    for (const auto& [written, replaced] : all_) {
      const Value* table = request_.config.find(replaced.table);
      if (table && table->find(replaced.name)) continue;
      request_.display->warn(fmt::format("{} takes the place of {}.{} = {} ({}).", written, replaced.table,
                                         replaced.name, write_toml_value(replaced.value), replaced.value.where));
    }
  }

 private:
  TrainRequest& request_;
  std::vector<std::pair<std::string, Replaced>> all_;
};

/// Sets `key` to what the option `written` of the command line says.
void set_by_option(Value& config, const char* key, Value value, std::string written) {
  value.where = std::move(written);
  config.set(key, std::move(value));
}

std::string epochs_flag(const TrainRequest& request) { return fmt::format("--epochs {}", *request.epochs); }

/// `--from`: another file in place of the one that the configuration names, whose checksum is none of its own. What else the entry
/// sets stays.
void set_start(Value& config, const std::string& path) {
  const std::string written = "--from " + path;
  Value* entry = config.find("start_from");
  if (!entry || !entry->is_table()) return set_by_option(config, "start_from", make_value(path), written);
  entry->where = written;
  entry->erase("sha256");
  set_by_option(*entry, "path", make_value(path), written);
}

/// --epochs beside a --set of the same.
void check_one_length(const TrainRequest& request) {
  const Value* training = request.config.find("training");
  for (const char* name : {"num_epochs", "num_updates"})
    if (const Value* set = training ? training->find(name) : nullptr; set && set->where.starts_with("--set"))
      throw ConfigError(
          fmt::format("{} and {} both say how long the run is. Give one of them.", epochs_flag(request), set->where));
}

}  // namespace

Value read_configuration(const std::string& path) {
  refuse_other_file(path);
  return read_toml(path);
}

void apply_command_line(TrainRequest& request) {
  Replacements replacements(request);
  for (const std::string& assignment : request.set) replacements.apply(assignment, "--set " + assignment);
  if (request.epochs) {
    check_one_length(request);
    replacements.apply(fmt::format("training.num_epochs={}", *request.epochs), epochs_flag(request));
  }
  if (request.seed)
    set_by_option(request.config, "seed", make_value(static_cast<std::int64_t>(*request.seed)),
                  fmt::format("--seed {}", *request.seed));
  if (!request.from.empty()) set_start(request.config, request.from);
  replacements.tell();
}

void read_configuration(const std::string& path, TrainRequest& request) {
  request.config = read_configuration(path);
  request.config_folder = std::filesystem::absolute(path).parent_path().string();
  apply_command_line(request);
}

}  // namespace v1
}  // namespace harmonium
