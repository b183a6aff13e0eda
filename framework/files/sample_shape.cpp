#include <harmonium/framework/files/sample_shape.hpp>

#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {

std::string sample_shape_text(std::span<const Index> shape) { return fmt::format("{}", fmt::join(shape, "x")); }

std::optional<std::vector<Index>> parse_sample_shape(std::string_view text) {
  std::vector<Index> shape;
  Index product = 1;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find('x', from), text.size());
    Index size = 0;
    const auto [end, failed] = std::from_chars(text.data() + from, text.data() + to, size);
    if (failed != std::errc{} || end != text.data() + to || size == 0) return {};
    if (size > std::numeric_limits<Index>::max() / product || shape.size() == 8) return {};
    product *= size;
    shape.push_back(size);
    from = to + 1;
  }
  return shape;
}

Index num_values(std::span<const Index> shape) {
  Index product = 1;
  for (const Index size : shape) product *= size;
  return product;
}

}  // namespace v1
}  // namespace harmonium
