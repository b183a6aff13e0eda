#pragma once

#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/data/dataset.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A part of a run's rows and what it is called: training, validation or test.
using NamedRows = std::pair<const char*, const Dataset*>;

/// The parts that there are. They refer to `splits`.
std::vector<NamedRows> parts_of(const DataSplits& splits);
/// That of `--split`. Throws ConfigError where the run has no such rows.
NamedRows part_named(const DataSplits& splits, const std::string& split);

/// Throws ConfigError where `--split` is given and rows are named beside it: by `data`, in the words of `flag`, or by settings of
/// data among the command's `options`.
void check_split(const std::string& split, const std::string& data, const Value& options, const char* flag = "--data");
/// Throws ConfigError where `output`, that of the option `flag`, would replace a file of these rows.
void check_output_spares(const Dataset& rows, const std::string& output, const char* flag);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
