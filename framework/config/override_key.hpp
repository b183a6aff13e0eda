#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace harmonium {
inline namespace v1 {

/// A step on the way to a value: a key of a table or an index into a list; and the path up to here, for messages.
struct KeyStep {
  std::string key;
  std::optional<std::size_t> index;
  std::string path;
};

/// KEY=VALUE in its parts.
struct Assignment {
  std::vector<KeyStep> steps;  ///< of KEY, at least one
  std::string_view value;      ///< without blanks around it; a view into what was read
};

/// Reads KEY=VALUE as `--set` takes it (apply_override). Throws ConfigError where KEY cannot be read.
Assignment read_assignment(std::string_view text);

}  // namespace v1
}  // namespace harmonium
