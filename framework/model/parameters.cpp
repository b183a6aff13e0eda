#include <harmonium/framework/model/parameters.hpp>

#include <algorithm>
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
    case ParameterRole::edges: return "edges";
    case ParameterRole::log_precision: return "log_precision";
    case ParameterRole::crystal_field: return "crystal_field";
    case ParameterRole::other: break;
  }
  return "other";
}

ParameterLayout::ParameterLayout(std::initializer_list<ParameterBlock> blocks) {
  for (const ParameterBlock& block : blocks) add(block);
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

Index free_entries(const ParameterBlock& block) {
  if (block.uniform) return std::min<Index>(block.size(), 1);
  const bool symmetric = block.symmetry == Symmetry::symmetric_zero_diagonal;
  if (!block.mask) return symmetric ? block.rows * (block.rows - 1) / 2 : block.size();
  const auto present = static_cast<Index>(std::ranges::count_if(*block.mask, [](std::uint8_t m) { return m != 0; }));
  return symmetric ? present / 2 : present;
}

void check_fits(const ParameterLayout& layout) {
  const double bytes = static_cast<double>(layout.size()) * sizeof(Real), memory = machine_memory();
  if (memory > 0.0 && bytes > memory)
    throw ConfigError(fmt::format("its {} parameters take {}, and {} is what there is. Take a smaller model.",
                                  layout.size(), bytes_in_words(bytes), bytes_in_words(memory)));
}

Index ParameterLayout::find(std::string_view name) const {
  const auto found = std::ranges::find(blocks_, name, &ParameterBlock::name);
  return static_cast<Index>(found - blocks_.begin());
}

void ParameterLayout::set_mask(Index position, std::vector<std::uint8_t> mask) {
  ParameterBlock& b = blocks_[position];
  if (mask.size() != b.size())
    throw ConfigError(
        fmt::format("{}: a mask of {} entries for a tensor of {} x {}", b.name, mask.size(), b.rows, b.cols));
  for (std::uint8_t& m : mask) m = m != 0 ? 1 : 0;
  if (b.symmetry == Symmetry::symmetric_zero_diagonal)
    for (Index i = 0; i < b.rows; ++i)
      for (Index j = 0; j <= i; ++j)
        if (mask[i * b.cols + j] != mask[j * b.cols + i] || (i == j && mask[i * b.cols + j] != 0))
          throw ConfigError(
              fmt::format("{}: its mask must be symmetric with an empty diagonal, and has {} at ({}, {}) and {} at "
                          "({}, {})",
                          b.name, mask[i * b.cols + j], i, j, mask[j * b.cols + i], j, i));
  b.mask = std::make_shared<const std::vector<std::uint8_t>>(std::move(mask));
}

void ParameterLayout::clear_absent(std::span<Real> flat) const {
  for (const ParameterBlock& b : blocks_) {
    if (!b.mask) continue;
    const std::span<Real> entries = flat.subspan(b.offset, b.size());
    std::ranges::transform(entries, *b.mask, entries.begin(), [](Real x, std::uint8_t m) { return m == 0 ? 0 : x; });
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
