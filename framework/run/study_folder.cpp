#include <harmonium/framework/run/study_folder.hpp>

#include <algorithm>
#include <regex>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/files/atomic_file.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

namespace fs = std::filesystem;

/// What studies write once all parts are done.
constexpr const char* results[] = {"cd_bias.csv", "trace.csv", "fixed_updates.csv",
                                   "runs.csv",    "report.md", "estimators.csv"};
constexpr const char* figures[] = {
    "figure1_training", "figure2_r_by_k", "figure3_parameters", "figure4_s_by_k", "figure5_r_by_k_fixed_updates",
    "equal_compute"};

/// The study that a config.toml is of, by an option that it alone has; empty where it is of none.
std::string study_of(const Value& config) {
  if (config.find("data_sets")) return "cd-bias";
  return config.find("gibbs_steps") && config.find("budget") ? "estimators" : "";
}

/// Whether a study of this configuration keeps a part under that name: DATA_SET_SIZE_SEED or SEED_UPDATES_ESTIMATOR[_K].
bool is_part_of(const Value& config, const std::string& name) {
  const auto holds = [&](const char* option, const std::string& entry) {
    const Value* list = config.find(option);
    return list && list->is_list() && std::ranges::any_of(std::get<Value::List>(list->data), [&](const Value& value) {
             return value.is_string() && std::get<std::string>(value.data) == entry;
           });
  };
  static const std::regex run("(.*)_[0-9]+_[0-9]+"), measurement("[0-9]+_[0-9]+_(.*?)(_[0-9]+)?");
  std::smatch found;
  if (std::regex_match(name, found, run) && holds("data_sets", found[1])) return true;
  if (study_of(config) != "estimators" || !std::regex_match(name, found, measurement)) return false;
  return found[1] == "cd" || holds("estimators", found[1]) || holds("estimators", found[1].str() + found[2].str());
}

/// The options that two configurations of one study do not share.
std::vector<std::string> differences(const Value& a, const Value& b) {
  std::vector<std::string> names;
  for (const auto& [name, value] : std::get<Value::Table>(b.data)) {
    const Value* other = a.find(name);
    if (!other || !(*other == value)) names.push_back(name);
  }
  for (const auto& [name, value] : std::get<Value::Table>(a.data))
    if (!b.find(name)) names.push_back(name);
  return names;
}

void refuse_training_run(const fs::path& path) {
  std::error_code error;
  const bool run = fs::exists(path / "metrics.jsonl", error) || fs::exists(path / "model.h5", error) ||
                   fs::exists(path / "checkpoints", error);
  if (run)
    throw ConfigError(
        fmt::format("--output {}: the folder holds a training run, and a study has a folder of its own. Take another "
                    "folder.",
                    path.string()));
}

}  // namespace

StudyFolder::StudyFolder(const StudyRequest& request, const Value& effective) : path_(fs::absolute(request.output)) {
  std::error_code error;
  if (fs::exists(path_, error) && !fs::is_directory(path_, error))
    throw ConfigError(
        fmt::format("--output {}: a file of this name exists. Give the name of a folder.", path_.string()));
  refuse_training_run(path_);
  bool other_seeds = false;
  if (!request.overwrite && fs::exists(path_ / "config.toml", error)) {
    const Value held = read_toml(path_ / "config.toml");
    const std::string study = study_of(held);
    if (study != request.name)
      throw ConfigError(fmt::format(
          "--output {}: the folder holds {}, and this is the study '{}'. Take another folder, or add --overwrite to "
          "replace it.",
          path_.string(),
          study.empty() ? std::string("a config.toml that is of no study") : fmt::format("the study '{}'", study),
          request.name));
    const std::vector<std::string> differing = differences(held, effective);
    other_seeds = differing == std::vector<std::string>{"num_seeds"};
    if (!differing.empty() && !other_seeds)
      throw ConfigError(
          fmt::format("--output {}: its config.toml is not the configuration of this study (different: '{}'), so it "
                      "cannot go on with "
                      "what the folder holds. Take another folder, or add --overwrite to replace it.",
                      path_.string(), fmt::join(differing, "', '")));
  } else if (!request.overwrite) {
    for (const char* file : results)
      if (fs::exists(path_ / file, error))
        throw ConfigError(fmt::format(
            "--output {}: the folder holds {}, and no config.toml that says what it is of. Take another folder, or add "
            "--overwrite to replace it.",
            path_.string(), file));
  }
  fs::create_directories(path_ / "runs", error);
  if (error) throw FileError(fmt::format("cannot create the folder {}: {}", path_.string(), error.message()));
  lock_.emplace(path_, "studies");
  for (const fs::path& part : {path_, path_ / "runs"}) remove_left_partials(part);
  // Results of other seeds than config.toml is about to name would mislead; they can be made again from the parts.
  if (request.overwrite || other_seeds) clear_results();
  if (request.overwrite) clear_parts(effective);
  write_file_atomically(path_ / "config.toml", write_toml(effective));
}

void StudyFolder::clear_results() const {
  std::error_code error;
  for (const char* file : results) fs::remove(path_ / file, error);
  for (const char* figure : figures)
    for (const char* ending : {".svg", ".png", ".gp"}) fs::remove(path_ / (std::string(figure) + ending), error);
}

void StudyFolder::clear_parts(const Value& effective) const {
  std::error_code error;
  Value held = make_table();
  try {
    if (fs::exists(path_ / "config.toml", error)) held = read_toml(path_ / "config.toml");
  } catch (const ConfigError&) {  // of no study: what the new one would take for its own goes all the same
  }
  for (const auto& entry : fs::directory_iterator(path_ / "runs", error)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".toml" && (is_part_of(held, name) || is_part_of(effective, name)))
      fs::remove(entry.path(), error);
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
