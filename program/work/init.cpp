#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/overrides.hpp>
#include <harmonium/framework/config/subtable.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/about_so_long.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/sources.hpp>
#include <harmonium/framework/files/fasta_alphabet.hpp>
#include <harmonium/framework/files/png_folder.hpp>
#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/run/rows_of_commands.hpp>
#include <harmonium/program/work/advice.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/data_argument.hpp>
#include <harmonium/program/work/dropped_options.hpp>
#include <harmonium/program/work/init_rows.hpp>
#include <harmonium/program/work/inspected_columns.hpp>
#include <harmonium/program/work/log_z_advice.hpp>
#include <harmonium/program/work/meanings.hpp>
#include <harmonium/program/work/proposal.hpp>
#include <harmonium/program/work/run_timing.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

namespace fs = std::filesystem;

/// The request with what stands behind the file's name, as in FILE:KEY=VALUE, among its settings; those of --set come after it.
InitRequest of_file(const InitRequest& request, const Registries& sources) {
  if (names_made_rows(request.data, sources)) return request;
  InitRequest own = request;
  if (const std::string file = file_named_in(request.data); !file.empty()) own.data = file;
  own.set = settings_named_in(request.data);
  Value named = make_table({{"data", make_table()}});
  for (const std::string& assignment : own.set) apply_override(named, assignment);
  refuse_rows_of_commands(*named.find("data"), request.data);
  own.set.insert(own.set.end(), request.set.begin(), request.set.end());
  std::error_code error;
  if (fs::equivalent(own.output, own.data, error))
    throw ConfigError(fmt::format("--output {}: that is the data. Give another name.", own.output));
  return own;
}

/// Of a CSV file with columns of several kinds what `inspect` proposes: a layer for each kind of column.
Inspection inspected_kinds(const InitRequest& request, const Registries& builtin) {
  InspectRequest table;
  static_cast<CommonRequest&>(table) = static_cast<const CommonRequest&>(request);
  table.set = settings_of_data(request);
  table.data = request.data;
  return inspect(table, builtin);
}

/// What [data] begins with: a file, or a source that makes its rows, of which `type` is then empty.
Value begun_data(const InitRequest& request, const std::string& type, const Registries& registries) {
  if (type.empty()) return *data_argument(request.data, make_table(), registries, "").options.find("data");
  Value begun = make_table({{"type", make_value(type)}, {"path", make_value(request.data)}});
  const auto sets_alphabet = [](const std::string& assignment) { return assignment.starts_with("data.alphabet="); };
  if (type == "fasta" && std::ranges::none_of(request.set, sets_alphabet))
    begun.set("alphabet", make_value(fasta_alphabet(std::array{fs::path(request.data)})));
  return begun;
}

/// The file's name as it is found from the configuration's folder.
std::string path_from(const fs::path& folder, const std::string& file) {
  if (fs::path(file).is_absolute()) return file;
  return fs::absolute(file).lexically_normal().lexically_proximate(folder.lexically_normal()).string();
}

/// What a setting means, and when it is to be changed.
std::string remark_on(const Meanings& meanings, const std::string& setting, const AdviceCase& of) {
  const std::string meaning = meanings(setting), advice = advice_on(setting, of);
  return meaning + (meaning.empty() || advice.empty() ? "" : "\n") + advice;
}

/// Throws where a --set has touched what the file itself says of [data]. Of a CSV file it may say that it is a table.
void check_file_kept(const Value& source, const std::string& file, const std::string& type) {
  for (const char* key : {"type", "path"})
    if (const Value* value = source.find(key);
        (!value && !type.empty()) ||
        (value && value->where.starts_with("--set") && !(type == "csv" && *value == make_value("table"))))
      throw ConfigError(fmt::format("--set data: {}{} says what data.{} is. Leave it out.",
                                    type.empty() ? "" : "the file ", file, key));
}

/// What is said of a table, in sentences.
std::vector<std::string> words_of(const Inspection& found, const InitRequest& request) {
  std::vector<std::string> words{fmt::format(
      "{0}: a table whose columns have units of their own kinds. 'harmonium inspect {0}' shows them.", request.data)};
  words.insert(words.end(), found.warnings.begin(), found.warnings.end());
  if (lacks_numbers(found.columns))
    words.push_back(
        fmt::format("Numbers are missing: up to {} hidden units what was not seen is summed over exactly, so that the "
                    "likelihood can be followed and classes are told of rows with holes too.",
                    most_hidden_summed));
  if (!found.classes) words.emplace_back("If one holds each row's class, name it: --set data.label_column=NAME.");
  return words;
}

/// A file is named from the current folder; in the configuration it is looked for from its own.
void place_file(Value* path, const fs::path& folder) {
  if (!path || !path->is_string() || *path == make_value("")) return;
  *path = make_value(path_from(folder, std::get<std::string>(path->data)));
}

/// The same of all files but that of the data, which has its place. What says where they come from is then lost.
Value with_placed_files(Value config, const fs::path& folder) {
  Value& data = *config.find("data");
  for (const std::string_view key : data_path_keys)
    if (key != "path") place_file(data.find(key), folder);
  if (Value* start = config.find("start_from")) place_file(start->is_table() ? start->find("path") : start, folder);
  return config;
}

/// Where numbers are missing the likelihood is the one figure of learning, and too slow to be followed unless asked for: it
/// is, ten times, if the model as it is set offers it. Whether it does; the configuration is then known to be trained.
bool follow_likelihood(Value& config, const Registries& registries, const fs::path& folder, const Executor& executor) {
  const Value* epochs = config.find("training")->find("num_epochs");
  if (config.find("observers") || !epochs || !epochs->number()) return false;
  const auto every = std::max<std::int64_t>(static_cast<std::int64_t>(*epochs->number()) / 10, 1);
  Value observers;
  observers.data = Value::List{make_table(
      {{"type", make_value("log_likelihood")}, {"every", make_value(every)}, {"rows", make_value(std::int64_t{200})}})};
  Value followed = config;
  followed.set("observers", std::move(observers));
  try {
    const Experiment experiment(followed, registries, folder.string(), executor);
    if (!experiment.left_out().empty()) return false;
  } catch (const CapabilityError&) {
    return false;
  }
  config = std::move(followed);
  return true;
}

/// What is known of the configuration that makes other advice. What train would refuse is refused here.
AdviceCase checked_case(Value& config, bool numbers_lack, const Registries& registries, const fs::path& folder,
                        const Executor& executor) {
  AdviceCase found{.numbers_lack = numbers_lack};
  found.followed = numbers_lack && follow_likelihood(config, registries, folder, executor);
  if (!found.followed)
    found.has_latent = !Experiment(config, registries, folder.string(), executor).model().layout().latent().empty();
  const Value* estimator = subtable(config, "estimator");
  const Value* name = estimator ? estimator->find("type") : nullptr;
  if (name && name->is_string()) found.estimator = std::get<std::string>(name->data);
  return found;
}

/// Rows with holes can make an update slow that is quick for whole ones, which the proposed length does not know of: how long the
/// run will take; empty where that is not long.
std::string words_on_time(const Value& config, const Registries& registries, const fs::path& folder,
                          const Executor& executor) {
  constexpr double long_enough = 120.0;
  try {
    Experiment experiment(config, registries, folder.string(), executor);
    const double seconds = seconds_of_updates(experiment, executor);
    if (seconds < long_enough) return "";
    return fmt::format(
        "rows with holes take long: by its first updates training takes some {} on this machine, {} epochs, without "
        "what observers measure. --set training.num_epochs=N makes it shorter.",
        about_so_long(seconds),
        experiment.epochs_of(experiment.training().total_updates(experiment.updates_per_epoch())));
  } catch (const Stopped&) {
    throw;
  } catch (const Error&) {  // train says what is wrong
    return "";
  }
}

/// A configuration that the rows call for, and what is said of them: above it, and to who waits for it.
struct Proposed {
  Value config;
  std::string comment, remark = {};
  bool numbers_lack = false, holes = false;
};

/// `path`: the file's name, as it is found from the configuration's folder.
Proposed proposed_table(const InitRequest& request, const Registries& builtin, const std::string& path) {
  Inspection found = inspected_kinds(request, builtin);
  const std::vector<std::string> words = words_of(found, request);
  const bool lacks = lacks_numbers(found.columns);
  Proposed proposed{std::move(found.proposed), fmt::format("{}\n", fmt::join(words, "\n")),
                    fmt::format("{}", fmt::join(words, " ")), lacks, lacks};
  proposed.config.find("data")->set("path", make_value(path));
  return proposed;
}

/// Of rows that are one layer: `own` has the settings, and `begun` what [data] begins with.
Proposed proposed_layer(const InitRequest& request, const Registries& registries, const std::string& path, CsvLook look,
                        Value& own, Value begun) {
  Proposed proposed;
  if (look.has_holes) {
    own.find("data")->set("missing", make_value("nan"));
    begun.set("missing", make_value("nan"));
    proposed.remark =
        fmt::format("{}: entries or classes are empty, and are taken as not seen: missing = \"nan\".", request.data);
  }
  const Value& source = *own.find("data");
  const Dataset data =
      with_asked_states(look.rows ? *std::move(look.rows) : rows_of_one_kind(request, registries, source), own);
  const Findings found = look_at(data, own);
  proposed.holes = data.has_missing();
  if (begun.find("path")) begun.set("path", make_value(path));
  proposed.config = proposal(data, found, std::move(begun), own);
  proposed.comment = fmt::format("{}: {} rows of {} {}.\n{}", request.data, data.rows(), data.cols() / found.states,
                                 found.summary(), found.remark());
  return proposed;
}

void add_sentence(std::string& text, const std::string& sentence) {
  text += (text.empty() || sentence.empty() ? "" : " ") + sentence;
}

}  // namespace

std::string init(const InitRequest& asked, const Registries& builtin) {
  const Registries sources = with_plugins(builtin, asked, make_table());
  const InitRequest request = of_file(asked, sources);
  const fs::path folder = request.output.empty() ? fs::current_path() : fs::absolute(request.output).parent_path();
  std::error_code error;
  if (fs::is_directory(request.data, error) && !is_png_folder(request.data))
    throw ConfigError(fmt::format("{}: a folder, not a file. Name the data file in it.", request.data));
  const bool made = names_made_rows(request.data, sources);
  const std::string type = made ? "" : data_type_of_file(request.data);

  Value begun = begun_data(request, type, sources);
  Value own = make_table({{"data", begun}});
  for (const std::string& assignment : request.set) apply_override(own, assignment);
  const Registries registries = with_plugins(builtin, request, own);
  const Value* source = own.find("data");
  check_file_kept(*source, request.data, type);
  refuse_rows_of_commands(*source);
  const std::string path = path_from(folder, request.data);
  const std::string without_energies = type == "csv" ? leave_energies_out(own, begun, request.data) : "";
  CsvLook look;
  if (*source->find("type") == make_value("table")) look.of_kinds = true;
  else if (type == "csv" && not_of_tables(request, registries).empty()) look = look_at_csv(request, own, registries);
  const bool of_kinds = look.of_kinds;
  Proposed proposed = of_kinds ? proposed_table(request, builtin, path)
                               : proposed_layer(request, registries, path, std::move(look), own, std::move(begun));
  Value& config = proposed.config;
  if (!of_kinds) add_sentence(proposed.remark, without_energies);
  for (const std::string& assignment : request.set) apply_override(config, assignment);
  drop_what_others_lack(config, registries);
  leave_centering_out(config);
  if (!registries.plugins().empty()) config.set("plugins", plugin_names(registries));
  if (request.seed) config.set("seed", make_value(static_cast<std::int64_t>(*request.seed)));

  const Executor executor(request.threads, request.stop);
  const AdviceCase advised = checked_case(config, proposed.numbers_lack, registries, folder, executor);

  if (request.display && !proposed.remark.empty()) request.display->warn(proposed.remark);
  const std::string on_time =
      proposed.holes && request.display ? words_on_time(config, registries, folder, executor) : "";
  if (!on_time.empty()) request.display->warn(on_time);

  const Meanings meanings(config, registries);
  const auto remarks = [&](const std::string& setting) { return remark_on(meanings, setting, advised); };
  const std::string name = request.output.empty() ? "CONFIG.toml" : request.output;
  return toml_comment(fmt::format(
             "{}harmonium train {}      trains by this file; harmonium explain shows what it leaves open.\n",
             proposed.comment, name)) +
         "\n" + write_toml(with_placed_files(config, folder), remarks);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
