#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// An option that another one has taken the place of.
struct Replaced {
  std::string table, name;
  Value value;  ///< with the place where it was written
};

/// Applies one `--set KEY=VALUE` to a configuration; `assignment` is the part behind `--set`.
///
/// KEY is a dotted path, `sampler.tile`; a part that is not made of letters, digits, '_' and '-' stands in quotes;
/// `observers[0]` is an element of a list, counted from 0, and the index one past the end appends. Tables on the way
/// are created. VALUE is read as TOML (`3`, `0.5`, `[1, 2]`, `{type = "gibbs"}`); what is no TOML value is taken as a
/// string, so that quotes are seldom needed. What is set has "--set KEY=VALUE" as its place, or `written`, where it came
/// from another option of the command line.
///
/// Of settings of which only one can be meant, such as training.num_epochs and training.num_updates, the one that is set
/// takes the place of the other. Returns what that was. A preset's name of a size reaches the layer of a `layered` model
/// (move_size_to_layer).
///
/// Throws ConfigError, and leaves `config` as it was, where the key cannot be read or leads through something else than
/// a table.
std::optional<Replaced> apply_override(Value& config, std::string_view assignment, const std::string& written = {});

}  // namespace v1
}  // namespace harmonium
