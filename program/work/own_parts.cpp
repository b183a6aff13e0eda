#include <harmonium/program/work/own_parts.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/work/command_options.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::vector<NamedRows> parts_of(const DataSplits& splits) {
  std::vector<NamedRows> parts{{"training", &splits.train}};
  if (splits.validation) parts.emplace_back("validation", &*splits.validation);
  if (splits.test) parts.emplace_back("test", &*splits.test);
  return parts;
}

NamedRows part_named(const DataSplits& splits, const std::string& split) {
  std::vector<std::string> names;
  for (const NamedRows& part : parts_of(splits)) {
    if (part.first == split) return part;
    names.emplace_back(part.first);
  }
  throw ConfigError(fmt::format("--split {}: the run has no such rows{}. It has: {}.", split,
                                did_you_mean(split, names), fmt::join(names, ", ")));
}

void check_split(const std::string& split, const std::string& data, const Value& options, const char* flag) {
  if (split.empty()) return;
  if (!data.empty())
    throw ConfigError(fmt::format("--split {}: {} names the rows already. Leave one of the two out.", split, flag));
  if (options.find("data"))
    throw ConfigError(fmt::format(
        "--split {}: settings of data (--set data...) name rows of their own. Leave one of the two out.", split));
}

void check_output_spares(const Dataset& rows, const std::string& output, const char* flag) {
  std::vector<std::string> paths;
  for (const DataFile& file : rows.files()) paths.push_back(file.path);
  check_output(output, paths, flag);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
