#include <harmonium/framework/run/tensor_names.hpp>

#include <fmt/format.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::vector<Index> shape_of(const ParameterBlock& block) {
  if (block.rank() == 1) return {block.rows};
  return {block.rows, block.cols};
}

std::string text_of(const std::vector<Index>& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

std::string mask_of(const ParameterBlock& block) { return "mask" + block.name.substr(block.name.find('.')); }

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
