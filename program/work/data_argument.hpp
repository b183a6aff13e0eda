#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What `--data` names:
///   FILE                           a file of data
///   FILE:KEY=VALUE,KEY=VALUE       the same with options, as by --set data.KEY=VALUE
///   NAME, NAME:KEY=VALUE           a source that makes its rows, such as bars_and_stripes:side=4
/// A file of the whole name comes first, so that a colon in it does no harm.
struct DataArgument {
  std::string file;  ///< empty: none was named
  Value options;     ///< of the command, with a table `data` of what was named
};

/// `options`: those of the command (command_options), which come after what `text` says. `flag` is in front of it in
/// messages. Throws ConfigError where a name is
/// neither a file nor such a source, where an option has no value or stands twice.
DataArgument data_argument(const std::string& text, const Value& options, const Registries& registries,
                           const std::string& flag = "--data ");

/// The [data] table that `text` names, with its type; `options` as above. Of sequences it has their alphabet.
Value source_of(const std::string& text, const Value& options, const Registries& registries);

/// The file that `text` names, alone or in front of its settings; empty where there is none.
std::string file_named_in(const std::string& text);
/// Those settings as --set takes them, "data.KEY=VALUE".
std::vector<std::string> settings_named_in(const std::string& text);
/// Whether it names a source that makes its rows.
bool names_made_rows(const std::string& text, const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
