#pragma once

#include <string>

#include <harmonium/cli/command.hpp>

namespace harmonium {
inline namespace v1 {

/// Reads the command line into one of `commands` and returns it, or leaves the text of --help or --version in `answer`
/// and returns null. Throws ConfigError.
Command* read_command_line(const Commands& commands, int argc, char** argv, std::string& answer);

}  // namespace v1
}  // namespace harmonium
