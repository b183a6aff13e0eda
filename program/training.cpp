#include <harmonium/program/training.hpp>

#include <cstdint>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/cli/text.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/parsed_number.hpp>
#include <harmonium/framework/files/folder_of_sweep.hpp>
#include <harmonium/program/configuration.hpp>
#include <harmonium/program/precision.hpp>

namespace harmonium {
inline namespace v1 {

std::string rows_of_machine(const std::string& folder) {
  namespace fs = std::filesystem;
  constexpr std::string_view prefix = "machine";
  fs::path run = fs::absolute(folder).lexically_normal();
  if (!run.has_filename()) run = run.parent_path();  // of "machine2/"
  const std::string name = run.filename().string();
  if (!name.starts_with(prefix) || !fs::exists(run.parent_path() / "stack.toml")) return "";
  const auto number = parsed_number<std::uint64_t>(std::string_view(name).substr(prefix.size()));
  return number && *number > 1 ? fmt::format("hidden states of machine {}", *number - 1) : "";
}

std::string resumed(const std::string& folder, TrainRequest& request) {
  if (std::filesystem::exists(std::filesystem::path(folder) / "stack.toml"))
    throw ConfigError(
        fmt::format("{}: the folder holds a stack. Give 'harmonium stack' again, with its file, to go on.", folder));
  request.resume = true;
  request.output = folder;
  request.rows_are = rows_of_machine(folder);
  return (std::filesystem::path(folder) / "config.toml").string();
}

int train(TrainRequest& request, Terminal& terminal, bool quiet, bool tell_stop) {
  if (!terminal.watched()) {
    request.epoch_ended = [&](double share, const std::string& what) { terminal.log(share, what); };
    request.within_epoch = [&](double share, const std::string& what) { terminal.progress(share, what); };
    request.judged = [&](const std::string& line) { terminal.log(line); };
  }
  const TrainOutcome outcome = program(precision_of_config(request.config)).train(request);
  terminal.finish();
  if (request.ranks && !request.ranks->all.leads()) return 0;
  if (outcome.stopped) {
    if (tell_stop)
      say(fmt::format("harmonium: stopped after update {}. 'harmonium train --resume {}' goes on.", outcome.updates,
                      outcome.folder));
    return 1;
  }
  if (!quiet) write_out(fmt::format("{}/model.h5\n", outcome.folder));
  return 0;
}

int run_training(const std::string& path, TrainRequest& request, bool quiet, Terminal& terminal, const char* asked,
                 bool tell_stop) {
  if (request.resume && !std::filesystem::exists(path)) {
    refuse_sweep(request.output, asked);
    throw ConfigError(fmt::format("{}{}: the folder holds no run (no config.toml).", asked, request.output));
  }
  read_configuration(path, request);
  request.run_name = std::filesystem::absolute(path).stem().string();
  return train(request, terminal, quiet, tell_stop);
}

}  // namespace v1
}  // namespace harmonium
