// harmonium study
#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/unfinished.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/program/work/commands.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

std::unique_ptr<Study> make_study(const std::string& name, Value config, const Registries& registries,
                                  Value& effective) {
  config.set("type", make_value(name)).where = "NAME";  // of the command line
  std::unique_ptr<Study> study = registries.make<Study>(config, effective);
  effective.erase("type");  // the folder is of one study, and config.toml holds its options alone
  return study;
}

/// The same where what is given may be no configuration of it; then null.
std::unique_ptr<Study> try_study(const std::string& name, const Value& config, const Registries& registries) {
  try {
    Value unused;
    return make_study(name, config, registries, unused);
  } catch (const ConfigError&) {
    return nullptr;
  }
}

std::vector<KnownStudy> known_studies(const Registries& registries) {
  std::vector<KnownStudy> known;
  for (const auto& [name, entry] : registries.of<Study>().entries()) {
    KnownStudy study{name, {}, {}};
    for (const OptionInfo& option : entry.describe()) study.options.push_back(option.name);
    if (const auto made = try_study(name, make_table(), registries)) study.files = made->files();
    known.push_back(std::move(study));
  }
  return known;
}

/// The study whose parts a folder holds; null where that cannot be told.
std::unique_ptr<Study> held_study(const StudyPlace& place, const Registries& registries) {
  const std::filesystem::path file = std::filesystem::path(place.output) / "config.toml";
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return nullptr;
  try {
    const Value held = read_toml(file);
    return try_study(study_of(held, place.known, place.study), held, registries);
  } catch (const ConfigError&) {
    return nullptr;
  }
}

StudyPlace place_of(const StudyRequest& request, const Study& study, const Registries& registries) {
  StudyPlace place{request.output, request.name, request.overwrite, known_studies(registries), {}};
  if (request.overwrite)
    place.is_part = [&study, held = std::shared_ptr<Study>(held_study(place, registries))](const std::string& part) {
      return study.is_part(part) || (held && held->is_part(part));
    };
  return place;
}

}  // namespace

StudyOutcome study(const StudyRequest& request, const Registries& builtin) {
  Value config = request.config, effective;
  if (request.seed) config.set("seed", make_value(static_cast<std::int64_t>(*request.seed)));
  const auto& known = builtin.of<Study>().entries();
  if (!request.plugins.empty() && known.contains(request.name) &&
      !make_study(request.name, config, builtin, effective)->takes_plugins())
    throw ConfigError(
        fmt::format("--plugin {}: this study takes nothing from plugins. Leave it out.", request.plugins.front()));
  const Registries registries = with_plugins(builtin, request, Value{});
  const std::unique_ptr<Study> study = make_study(request.name, config, registries, effective);
  effective = study->begin(registries, std::move(effective));
  const UnfinishedWork unfinished;
  const StudyFolder folder(place_of(request, *study, registries), effective);
  StudyParts parts({request.threads, request.stop, request.display}, folder, study->parts(), study->called());
  if (const std::string remark = study->remark(); request.display && !remark.empty()) request.display->warn(remark);
  parts.announce();
  StudyOutcome outcome{.folder = folder.path().string(), .text = {}, .done = 0, .total = parts.total()};
  outcome.parts = study->called();
  try {
    study->make(parts, registries);
  } catch (const Stopped&) {
    outcome.done = parts.done();
    return outcome;
  }
  outcome.done = parts.done();
  outcome.text = study->report(parts, folder.path());
  return outcome;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
