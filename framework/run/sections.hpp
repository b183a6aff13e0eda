#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/config/written_at.hpp>
#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

// The sections of a run's configuration. What is wrong with them is told by ConfigError, with its place.

/// Those that are components, of the kind of their name.
inline constexpr const char* component_sections[] = {"data", "model", "estimator", "optimizer", "initializer"};
/// The names of a component's options, as `harmonium describe` has them; nothing where there is no such component.
std::optional<std::vector<std::string>> option_names(const Registries& registries, std::string_view kind,
                                                     std::string_view name);

/// Where an option of a table was written, or else its table, for what is wrong with it only beside other things.
const Value& written_option(const Value& config, std::string_view table, std::string_view option);
/// Throws where there is a section that no run has, and says which section has an option of that name.
void check_sections(const Value& config, const Registries& registries);
/// The table `name`, or an empty one where it is absent and `fallback_type` says what it then is.
Value section(const Value& config, std::string_view name, std::string_view fallback_type, const char* why);
/// The tables of a list such as [[observers]].
std::vector<Value> tables_of(const Value& config, std::string_view name);

/// Makes of a relative path one from `folder`, or, where it was given on the command line, from the present one.
void make_absolute(Value* path, const std::string& folder);
/// `config`'s [data] with relative paths made absolute: from `folder`, those of overrides from the current one.
Value absolute_data_paths(const Value& data, const std::string& folder);
/// `config` with the folders of runs that its components name by a `run`, at any depth, made absolute in the same way.
Value absolute_run_paths(Value config, const std::string& folder);
/// Those folders, as they are written there; without the empty ones.
std::vector<std::string> run_paths(const Value& config);
/// Throws ConfigError where two components of a configuration would draw the same random words.
void check_purposes(const Value& effective);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
