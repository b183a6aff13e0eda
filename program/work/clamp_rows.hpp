#pragma once

#include <filesystem>

#include <harmonium/framework/execution/display.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/clamp.hpp>
#include <harmonium/program/work/data_argument.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What is known where a file of rows is named by --clamp.
struct ClampSetting {
  std::filesystem::path model;
  const ModelHeader& header;  ///< of the model file
  const Layout& layout;
  const Registries& registries;
  const Value& options;  ///< of the command: its `data` says how files are read
  RandomSource random;
  Display* display = nullptr;
  const char* fate = "drawn";  ///< of what rows lack, in what the display is told
};
/// Rows as the model's data were, but with holes, and labels only where they are columns like the others or stand in a column that is
/// called as in the model's data. Bits that are drawn of gray values are by the words of setting.random.
Dataset rows_to_hold(const ClampSetting& setting, const DataArgument& given);
/// Reads such rows, by the words of the part "data". What `setting` refers to must outlive it.
Clamp::Reader clamp_rows(const ClampSetting& setting);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
