#pragma once

#include <string>

#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace v1 {

/// Sets in the configuration that a request holds what its --set, --epochs, --seed and --from say. Says what these take the
/// place of. Throws ConfigError where two of them say how long the run is.
void apply_command_line(TrainRequest& request);
/// Reads the configuration that a request is about, with what the command line sets in it, and keeps where it lies. Throws
/// ConfigError, telling another command to somebody who names a model or data.
void read_configuration(const std::string& path, TrainRequest& request);
/// The configuration `path` alone.
Value read_configuration(const std::string& path);

}  // namespace v1
}  // namespace harmonium
