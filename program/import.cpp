#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/archived_config.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/configuration.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/work/exported_model.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* import_more =
    "An EDGES file has a line 'n m', which may be left out, then lines 'i j w', or is an N x 3 array of them,\n"
    "nodes counted from 1, or from 0 where there is a node 0; or it is a square matrix of couplings (.npy, .csv,\n"
    "FILE.npz:array=J), symmetric or of one triangle. FILE.h5 receives a model of n spins with the energy -sum w\n"
    "s s - sum h s, each pair once, to sample and to evaluate as any other. DIR and FILE.npz are what export\n"
    "wrote, of any model; tables may have numbers of your own. An archive of J and h alone is read too. Of a\n"
    "CONFIG.toml the sections [model] and [initializer] say what the model is, such as a lattice, and what its\n"
    "parameters are, or --parameters has these; no data is read. What was read is told: units, couplings and\n"
    "their sign, and the energy of all spins up, to hold against one's own.";

class Import final : public RequestCommand<ImportRequest> {
 public:
  Import()
      : RequestCommand(
            "import", "Make a model of a file of edges, or of a configuration, without training", import_more,
            {"harmonium import glass.txt --output new.h5", "harmonium import maxcut.txt --negate --output cut.h5"}) {}

  void declare(CLI::App& command) override {
    add_file(command, "EDGES|DIR|CONFIG.toml", request_.edges,
             "File of edges or matrix of couplings, what export wrote, or a configuration")
        ->required();
    add_name(command, "--output", request_.output, "FILE.h5", "Model file; replaced if it exists")->required();
    command.add_flag("--negate", request_.negate,
                     "The energy of the file's edges is +sum w s s, as of max-cut instances");
    add_name(command, "--fields", request_.fields, "FILE|H",
             "Fields h of the nodes, a number a line, or one for all: -sum h s, or +sum h s with --negate");
    add_name(command, "--parameters", request_.parameters, "FILE.npz",
             "Parameters of a CONFIG.toml in place of its [initializer]: an array for each tensor");
    command
        .add_option("--precision", precision_,
                    "float64 or float32 (default: of edges float64, else the configuration's)")
        ->type_name("NAME")
        ->check(CLI::IsMember({"float64", "float32"}));
    add_common(command, request_, quiet_, "initializer.field=0.1 of a CONFIG.toml");
  }
  int run(Terminal& terminal) override {
    if (request_.edges.ends_with(".toml")) {
      read_config();
    } else if (!request_.parameters.empty()) {
      throw ConfigError(
          fmt::format("--parameters {}: the model that they are of is that of a configuration. Name a CONFIG.toml in "
                      "place of {}.",
                      request_.parameters, request_.edges));
    } else if (read_exported_model()) {
      check_tables_options();
    } else {
      check_edges_options();
      if (!precision_.empty()) request_.precision = precision_;
    }
    const std::string text = program(precision_named(request_.precision)).import_model(request_);
    terminal.finish();
    if (!quiet_) write_out(text);
    return 0;
  }

 private:
  /// What stands beside the tables of a folder that export wrote, or in an archive beside the arrays.
  bool read_exported_model() {
    namespace fs = std::filesystem;
    const fs::path path = request_.edges, file = path / exported_model_file;
    std::error_code error;
    Value config;
    if (fs::is_regular_file(file, error)) {
      config = read_toml(file);
    } else if (path.extension() == ".npz" && fs::is_regular_file(path, error)) {
      std::optional<Value> archived = archived_config(path);
      if (!archived) return false;
      config = std::move(*archived);
    } else {
      return false;
    }
    request_.precision = !precision_.empty()                                 ? precision_
                         : precision_of_config(config) == Precision::float64 ? "float64"
                                                                             : "float32";
    request_.config = std::move(config);
    return true;
  }
  void check_tables_options() const {
    const char* given = request_.seed              ? "--seed"
                        : !request_.set.empty()    ? "--set"
                        : request_.negate          ? "--negate"
                        : !request_.fields.empty() ? "--fields"
                                                   : nullptr;
    if (!given) return;
    const bool folder = std::filesystem::is_directory(request_.edges);
    throw ConfigError(fmt::format(
        "{}: the {} of {} say what couplings and biases are, and {} what the model is. Leave it out.", given,
        folder ? "tables" : "arrays", request_.edges, folder ? exported_model_file : "its array 'config'"));
  }
  void check_edges_options() const {
    const char* given = request_.seed               ? "--seed"
                        : !request_.plugins.empty() ? "--plugin"
                        : !request_.set.empty()     ? "--set"
                                                    : nullptr;
    if (!given) return;
    const std::string others =
        request_.set.empty()
            ? ""
            : fmt::format(
                  " Its units are spins; of others, such as \"binary\" ones, a CONFIG.toml makes the model: model = {{ "
                  "type = \"fully_visible\", num_visible = N, visible_units = \"binary\" }} and initializer = "
                  "{{ type = \"edge_list\", path = \"{}\" }}.",
                  request_.edges);
    const bool names_precision =
        std::ranges::any_of(request_.set, [](const std::string& s) { return s.starts_with("precision="); });
    throw ConfigError(fmt::format(
        "{} is for a CONFIG.toml, which has sections, may draw its parameters, and may name a plugin. Couplings of a "
        "file of edges are what it says. Leave it out{}.{}",
        given, names_precision ? ", or name the precision by --precision" : "", others));
  }
  void check_parameters() const {
    if (request_.parameters.empty()) return;
    std::error_code error;
    if (!request_.parameters.ends_with(".npz") || !std::filesystem::is_regular_file(request_.parameters, error))
      throw ConfigError(
          fmt::format("--parameters {}: this is no archive of arrays (.npz) that is there. A folder of tables is "
                      "imported by itself, "
                      "with the [model] in its {}.",
                      request_.parameters, exported_model_file));
  }
  void read_config() {
    check_parameters();
    if (request_.negate)
      throw ConfigError("--negate is for a file of edges. In a configuration the initializer says what couplings are.");
    if (!request_.fields.empty())
      throw ConfigError(
          "--fields is for a file of edges. In a configuration initializer.fields of 'edge_list' names them, and "
          "--set initializer.field=H sets one field for all.");
    TrainRequest described;
    described.set = std::move(request_.set);
    if (!precision_.empty()) described.set.push_back("precision=" + precision_);
    read_configuration(request_.edges, described);
    request_.precision = precision_of_config(described.config) == Precision::float64 ? "float64" : "float32";
    request_.config = std::move(described.config);
    request_.config_folder = std::move(described.config_folder);
  }

  std::string precision_;
};

}  // namespace

std::unique_ptr<Command> import_command() { return std::make_unique<Import>(); }

}  // namespace v1
}  // namespace harmonium
