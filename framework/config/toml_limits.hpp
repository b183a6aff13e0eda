#pragma once

#include <cstddef>
#include <string_view>

namespace harmonium {
inline namespace v1 {

/// What a configuration may take: bytes of text, and tables, lists and parts of dotted keys inside one another. No
/// configuration needs a hundredth of either; the parser, and all who walk its tree, take stack for each level.
inline constexpr std::size_t longest_toml = std::size_t{1} << 24, deepest_toml = 100;

/// Throws ConfigError, with the place, where a text goes beyond; takes no stack itself. What is no TOML at all is left to
/// the parser to say.
void check_toml_limits(std::string_view text, std::string_view source_name);

}  // namespace v1
}  // namespace harmonium
