#include <harmonium/framework/model/parameters.hpp>

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
  block.offset = size_;
  size_ += block.size();
  blocks_.push_back(std::move(block));
  return blocks_.size() - 1;
}

Index ParameterLayout::find(std::string_view name) const {
  for (Index i = 0; i < blocks_.size(); ++i)
    if (blocks_[i].name == name) return i;
  return blocks_.size();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
