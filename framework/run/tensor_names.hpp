#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/model/parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The dimensions of a tensor's dataset in a file.
std::vector<Index> shape_of(const ParameterBlock& block);

/// "(3, 4)"
std::string text_of(const std::vector<Index>& shape);

/// "mask.visible.hidden" of the tensor "weight.visible.hidden".
std::string mask_of(const ParameterBlock& block);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
