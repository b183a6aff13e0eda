#pragma once

#include <filesystem>

#include <harmonium/framework/execution/display.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/clamp.hpp>

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
};
/// Reads rows as the model's data were, but with holes, and labels only where they are columns like the others or stand in a
/// column that is called as in the model's data. What `setting` refers to must outlive it.
Clamp::Reader clamp_rows(const ClampSetting& setting);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
