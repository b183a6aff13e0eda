#pragma once

#include <string_view>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// Applies one `--set KEY=VALUE` to a configuration; `assignment` is the part behind `--set`.
///
/// KEY is a dotted path, `sampler.tile`; a part that is not made of letters, digits, '_' and '-' stands in quotes;
/// `observers[0]` is an element of a list, counted from 0, and the index one past the end appends. Tables on the way
/// are created. VALUE is read as TOML (`3`, `0.5`, `[1, 2]`, `{type = "gibbs"}`); what is no TOML value is taken as a
/// string, so that quotes are seldom needed. What is set has "--set KEY=VALUE" as its place.
///
/// Of settings of which only one can be meant, such as training.num_epochs and training.num_updates, the one that is set
/// takes the place of the other.
///
/// Throws ConfigError, and leaves `config` as it was, where the key cannot be read or leads through something else than
/// a table.
void apply_override(Value& config, std::string_view assignment);

}  // namespace v1
}  // namespace harmonium
