#pragma once

#include <string>

#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace v1 {

/// Reads the configuration that a request is about, with its --set, --epochs and --from, and keeps where it lies. Says what
/// these take the place of. Throws ConfigError, telling another command to somebody who names a model or data.
void read_configuration(const std::string& path, TrainRequest& request);
/// The configuration `path` alone.
Value read_configuration(const std::string& path);

}  // namespace v1
}  // namespace harmonium
