#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/run/request.hpp>

namespace harmonium {
inline namespace v1 {

enum class Command {
  train,
  init,
  explain,
  import_edges,
  sample,
  evaluate,
  gradient,
  draw,
  study,
  list,
  describe,
  plugins,
  check
};

/// What the command line asks for. The request of `command` is filled in; displays and signals are not.
struct CommandLine {
  Command command = Command::list;
  TrainRequest train;  ///< its `config` not yet read
  std::string config_path;
  TrainRequest explain;  ///< its `config` not yet read
  TrainRequest check;    ///< the same
  InitRequest init;
  ImportRequest import_edges;
  SampleRequest sample;
  EvaluateRequest evaluate;
  GradientRequest gradient;
  DrawRequest draw;
  StudyRequest study;                ///< its `config` not yet read
  std::string kind, name;            ///< of list and describe; empty: any
  std::vector<std::string> plugins;  ///< of list, describe and plugins: names or files
  bool quiet = false, json = false;
};

/// Reads it, or leaves the text of --help or --version in `answer` and returns nothing. Throws ConfigError.
std::optional<CommandLine> read_command_line(int argc, char** argv, std::string& answer);

}  // namespace v1
}  // namespace harmonium
