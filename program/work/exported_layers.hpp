#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/model/layout.hpp>
#include <harmonium/framework/model/parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What export says beside the parameters of a model's layers, whose laws go by their units: a line a layer.
inline constexpr const char* exported_layers_file = "layers.csv";
inline constexpr std::string_view exported_layers_head = "layer,size,units";

struct ExportedLayer {
  std::string name;
  Index size = 0;
  std::string units;  ///< UnitType::name
};
/// Of a folder that export wrote its layers; none where it has no such file, as older versions wrote none. Throws DataError with the
/// line where it is malformed, FileError where it cannot be read.
std::vector<ExportedLayer> read_exported_layers(const std::filesystem::path& folder);

/// What the `count` rows (`which` 0) or columns (1) of a tensor's table are called: the columns of a layer as `of_layer` has it, or
/// numbers where they are of no layer of it.
std::vector<std::string> names_along(const Layout& layout, const ParameterBlock& block, Index which, Index count,
                                     FunctionRef<std::vector<std::string>(LayerId)> of_layer);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
