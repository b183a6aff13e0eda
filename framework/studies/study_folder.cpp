#include <harmonium/framework/studies/study_folder.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/output_folder.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

namespace fs = std::filesystem;

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

std::string study_of(const Value& config, const std::vector<KnownStudy>& known, const std::string& likeliest) {
  const auto& held = std::get<Value::Table>(config.data);
  if (held.empty()) return {};
  std::string found;
  for (const KnownStudy& study : known) {
    const bool all = std::ranges::all_of(
        held, [&](const auto& entry) { return std::ranges::find(study.options, entry.first) != study.options.end(); });
    if (all && (found.empty() || study.name == likeliest)) found = study.name;
  }
  return found;
}

StudyFolder::StudyFolder(const StudyPlace& place, const Value& effective) : path_(fs::absolute(place.output)) {
  check_output_folder(path_);
  refuse_training_run(path_);
  const Held held = place.overwrite ? Held::nothing : look(place, effective);
  create_folders(path_ / "runs", path_);
  lock_.emplace(path_, "studies");
  for (const fs::path& part : {path_, path_ / "runs"}) remove_left_partials(part);
  // Results of other seeds than config.toml is about to name would mislead; they can be made again from the parts.
  if (place.overwrite || held == Held::other_seeds) clear_results(place);
  if (place.overwrite) clear_parts(place);
  write_file_atomically(path_ / "config.toml", write_toml(effective));
}

StudyFolder::Held StudyFolder::look(const StudyPlace& place, const Value& effective) const {
  std::error_code error;
  if (!fs::exists(path_ / "config.toml", error)) {
    for (const KnownStudy& study : place.known)
      for (const std::string& file : study.files.tables)
        if (fs::exists(path_ / file, error))
          throw ConfigError(fmt::format(
              "--output {}: the folder holds {}, and no config.toml that says what it is of. Take another folder, or "
              "add --overwrite to replace it.",
              path_.string(), file));
    return Held::nothing;
  }
  const Value held = read_toml(path_ / "config.toml");
  const std::string study = study_of(held, place.known, place.study);
  if (study != place.study)
    throw ConfigError(fmt::format(
        "--output {}: the folder holds {}, and this is the study '{}'. Take another folder, or add --overwrite to "
        "replace it.",
        path_.string(),
        study.empty() ? std::string("a config.toml that is of no study") : fmt::format("the study '{}'", study),
        place.study));
  const std::vector<std::string> differing = differences(held, effective);
  if (differing == std::vector<std::string>{"num_seeds"}) return Held::other_seeds;
  if (!differing.empty())
    throw ConfigError(
        fmt::format("--output {}: its config.toml is not the configuration of this study (different: '{}'), so it "
                    "cannot go on with "
                    "what the folder holds. Take another folder, or add --overwrite to replace it.",
                    path_.string(), fmt::join(differing, "', '")));
  return Held::same;
}

void StudyFolder::clear_results(const StudyPlace& place) const {
  std::error_code error;
  for (const KnownStudy& study : place.known) {
    for (const std::string& file : study.files.tables) fs::remove(path_ / file, error);
    for (const std::string& figure : study.files.figures)
      for (const char* ending : {".svg", ".png", ".gp"}) fs::remove(path_ / (figure + ending), error);
  }
}

void StudyFolder::clear_parts(const StudyPlace& place) const {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_ / "runs", error))
    if (entry.path().extension() == ".toml" && place.is_part(entry.path().stem().string()))
      fs::remove(entry.path(), error);
}

}  // namespace v1
}  // namespace harmonium
