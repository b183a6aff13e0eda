#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/execution/stream.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The `--set` assignments of a command that works on a model file, as a table with one table for each of `sections`.
/// Throws ConfigError for a key outside them.
Value command_options(const std::vector<std::string>& set, const std::vector<std::string>& sections);
/// Applies one of them. data.KEY= with nothing behind it takes back what the model's own data say of it: KEY is then there
/// and empty, unless an earlier assignment set it, which is removed.
void set_or_take_back(Value& options, const std::string& assignment);
/// The component table `section` of them with its `type`, as `--section TYPE` asked for; {type = type} where nothing was
/// set.
Value component_spec(const Value& options, std::string_view section, const std::string& type);
/// The options of those `keys` that a [data] table has.
template <class Options>
Options options_among(const Value& data, std::initializer_list<const char*> keys) {
  Options options;
  Value own = make_table();
  for (const char* key : keys)
    if (const Value* given = data.find(key)) own.set(key, *given);
  read_options(own, "data", options);
  return options;
}

/// Throws, before any work is done, where `--output path`, or that of another option `flag`, could not be written or would replace
/// one of the files that the command reads. FileError for the former, ConfigError for the latter.
void check_output(const std::string& path, const std::vector<std::string>& inputs, const char* flag = "--output");
/// Throws ConfigError where a name does not end in .csv or .npy; `what`: "series are".
void check_table_name(const std::string& path, const char* flag, const char* what);

/// The seed that was asked for, else that of the model file's run, else 1.
RandomSource random_of(const CommonRequest& request, const Value& config);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
