#include <harmonium/framework/model/parameters.hpp>

#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/memory_need.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::string_view name_of(ParameterRole role) {
  switch (role) {
    case ParameterRole::bias: return "bias";
    case ParameterRole::coupling: return "coupling";
    case ParameterRole::log_precision: return "log_precision";
    case ParameterRole::other: break;
  }
  return "other";
}

Index ParameterLayout::add(ParameterBlock block) {
  constexpr Index most = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(Real);
  if (block.cols > 0 && block.rows > (most - size_) / block.cols)
    throw ConfigError(
        fmt::format("with the tensor '{}' of {} x {} numbers its parameters are more than any memory holds. Take a "
                    "smaller model.",
                    block.name, block.rows, block.cols));
  block.offset = size_;
  size_ += block.size();
  blocks_.push_back(std::move(block));
  return blocks_.size() - 1;
}

void check_fits(const ParameterLayout& layout) {
  const double bytes = static_cast<double>(layout.size()) * sizeof(Real), memory = machine_memory();
  if (memory > 0.0 && bytes > memory)
    throw ConfigError(fmt::format("its {} parameters take {}, and {} is what there is. Take a smaller model.",
                                  layout.size(), bytes_in_words(bytes), bytes_in_words(memory)));
}

Index ParameterLayout::find(std::string_view name) const {
  for (Index i = 0; i < blocks_.size(); ++i)
    if (blocks_[i].name == name) return i;
  return blocks_.size();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
