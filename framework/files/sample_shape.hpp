#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// The dimensions of one sample as text, the form that model files and command lines have: "28x28".
std::string sample_shape_text(std::span<const Index> shape);
/// The dimensions that such a text names: from 1 to 8 numbers of at least 1 whose product is a size; else nothing.
std::optional<std::vector<Index>> parse_sample_shape(std::string_view text);
/// Their product.
Index num_values(std::span<const Index> shape);

}  // namespace v1
}  // namespace harmonium
