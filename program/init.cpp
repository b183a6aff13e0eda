#include <cstdint>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/config/overrides.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/output_folder.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/precision.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* init_more =
    "The configuration holds what the file calls for (units of the kind of its values, what is made of these, labels) "
    "and,\n"
    "above each setting, what it means and when to change it. It can be trained as it stands. Where the values could "
    "mean\n"
    "one thing or another, nothing is written, and the error says what to decide.";

/// Throws ConfigError where the configuration cannot be written to that file, or would replace another.
void check_place(const InitRequest& request) {
  if (request.output.empty()) return;
  std::error_code error;
  const std::filesystem::path output = request.output;
  if (std::filesystem::is_directory(output, error))
    throw ConfigError(
        fmt::format("--output {}: a folder of this name exists. Give the name of a file.", request.output));
  if (std::filesystem::equivalent(output, request.data, error))
    throw ConfigError(fmt::format("--output {}: that is the data. Give another name.", request.output));
  if (std::filesystem::exists(output, error) && !request.overwrite)
    throw ConfigError(
        fmt::format("--output {}: the file exists already. Take another name, or add --overwrite.", request.output));
  folder_of_output(output, "--output");
}

class Init final : public RequestCommand<InitRequest> {
 public:
  Init()
      : RequestCommand("init", "Write a configuration for a data file, with comments", init_more,
                       {"harmonium init data.csv --output new.toml",
                        "harmonium init data.csv --set model.num_hidden=64 --output wide.toml"}) {}

  void declare(CLI::App& command) override {
    add_file(command, "DATA", request_.data,
             "File (IDX, .npy, CSV, FASTA, HDF5), folder of PNGs, or rows to make: bars_and_stripes:side=4")
        ->required()
        ->check(not_empty());
    add_name(command, "--output", request_.output, "CONFIG.toml", "Where to write it (default: standard output)");
    command.add_flag("--overwrite", request_.overwrite, "Replace CONFIG.toml where there is one");
    add_count(command, "--epochs", epochs_, "N", 1, "Length of the run, short for --set training.num_epochs=N");
    add_common(command, request_, quiet_, "model.num_hidden=64");
  }
  void settle() override {
    if (request_.overwrite && request_.output.empty())
      throw ConfigError("init: --overwrite says what to do with a file, and there is none. Add --output CONFIG.toml.");
    if (!epochs_) return;
    for (const std::string& set : request_.set)
      if (set.starts_with("training.num_epochs=") || set.starts_with("training.num_updates="))
        throw ConfigError(
            fmt::format("--epochs {}: --set {} says how long the run is too. Leave one out.", *epochs_, set));
    request_.set.push_back(fmt::format("training.num_epochs={}", *epochs_));
  }
  int run(Terminal&) override {
    check_place(request_);
    Value settings = make_table();
    for (const std::string& assignment : request_.set) apply_override(settings, assignment);
    const std::string text = program(precision_of_config(settings)).init(request_);
    if (request_.output.empty()) {
      write_out(text);
    } else {
      write_file_atomically(request_.output, text);
      remove_left_partials(std::filesystem::path(request_.output).parent_path());
    }
    return 0;
  }

 private:
  std::optional<std::uint64_t> epochs_;
};

}  // namespace

std::unique_ptr<Command> init_command() { return std::make_unique<Init>(); }

}  // namespace v1
}  // namespace harmonium
