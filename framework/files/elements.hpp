#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/files/stream_reader.hpp>
#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {

enum class ElementType { boolean, u8, i8, u16, i16, u32, i32, u64, i64, f16, f32, f64 };
enum class ByteOrder { little, big };

/// Bytes of one element.
Index size_of(ElementType type);

/// What the table readers share: checks `shape` (at least one dimension, none of them 0, no overflow, no more than the
/// file can hold), reads the elements that follow in the reader, in C order, up to the end of the file, and converts
/// them as `Table` promises. Throws DataError.
Table read_elements(StreamReader& reader, std::span<const std::uint64_t> shape, ElementType type, ByteOrder order);

}  // namespace v1
}  // namespace harmonium
