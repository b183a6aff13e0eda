#include <harmonium/framework/files/elements.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/mapped_file.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
constexpr std::uint64_t exact_integers = std::uint64_t{1} << 53;

template <class U>
U load(const unsigned char* bytes, ByteOrder order) {
  U value = 0;
  for (std::size_t i = 0; i < sizeof(U); ++i) {
    const std::size_t from = order == ByteOrder::big ? i : sizeof(U) - 1 - i;
    value = static_cast<U>(static_cast<std::uint64_t>(value) << 8 | bytes[from]);
  }
  return value;
}

double half_to_double(std::uint16_t h) {
  const int exponent = (h >> 10) & 31;
  const int fraction = h & 1023;
  double value = 0;
  if (exponent == 31) {
    value = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else {
    value = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  }
  return (h & 0x8000) ? -value : value;
}

// Where element `number` stands, for messages.
struct Place {
  const StreamReader& reader;
  std::uint64_t begin;  // offset of the first element
  Index cols, size;

  [[noreturn]] void fail(std::uint64_t number, std::string_view problem) const {
    throw DataError(fmt::format("{}: row {}, column {} (both counted from 0; byte {}): {}", reader.name(),
                                number / cols, number % cols, begin + number * size, problem));
  }
};

// Reads `count` elements; memory grows with what has arrived.
template <class T, class Decode>
std::vector<T> read_all(StreamReader& reader, std::uint64_t count, Index size, const Decode& decode) {
  std::vector<T> values;
  std::vector<unsigned char> chunk;
  const std::uint64_t begin = reader.offset();
  const std::uint64_t per_chunk = chunk_bytes / size;
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t ask = std::min(per_chunk, count - done);
    chunk.resize(ask * size);
    const std::size_t got = reader.read_some(chunk.data(), chunk.size());
    if (got != chunk.size()) {
      throw DataError(fmt::format("{}: byte {}: declares {} values of {} bytes, but the file holds {}", reader.name(),
                                  begin + done * size + got, count, size, done + got / size));
    }
    if (values.size() + ask > values.capacity()) values.reserve(std::min(count, 2 * (values.size() + ask)));
    for (std::uint64_t i = 0; i < ask; ++i) values.push_back(decode(chunk.data() + i * size, done + i));
    done += ask;
  }
  return values;
}

double exact(std::uint64_t magnitude, bool negative, std::uint64_t number, const Place& place) {
  if (magnitude > exact_integers) {
    place.fail(number,
               fmt::format("{}{} is beyond 2^53, more than a double holds exactly", negative ? "-" : "", magnitude));
  }
  const auto value = static_cast<double>(magnitude);
  return negative ? -value : value;
}

decltype(Table::values) read_values(StreamReader& reader, std::uint64_t count, ElementType type, ByteOrder order,
                                    const Place& place) {
  const Index size = size_of(type);
  const auto bytes = [&](const auto& decode) { return read_all<std::uint8_t>(reader, count, size, decode); };
  const auto doubles = [&](const auto& decode) { return read_all<double>(reader, count, size, decode); };
  // T as it is spelt in the file, of the unsigned word U.
  const auto integers = [&]<class U, class T>(U, T) {
    return doubles(
        [=](const unsigned char* b, std::uint64_t) { return static_cast<double>(static_cast<T>(load<U>(b, order))); });
  };
  using Bytes = const unsigned char*;
  switch (type) {
    case ElementType::boolean:
      return bytes([&](Bytes b, std::uint64_t i) {
        if (*b > 1) place.fail(i, fmt::format("the byte {} is no truth value (0 or 1 expected)", *b));
        return *b;
      });
    case ElementType::u8: return bytes([](Bytes b, std::uint64_t) { return *b; });
    case ElementType::i8: return integers(std::uint8_t{}, std::int8_t{});
    case ElementType::u16: return integers(std::uint16_t{}, std::uint16_t{});
    case ElementType::i16: return integers(std::uint16_t{}, std::int16_t{});
    case ElementType::u32: return integers(std::uint32_t{}, std::uint32_t{});
    case ElementType::i32: return integers(std::uint32_t{}, std::int32_t{});
    case ElementType::u64:
      return doubles([&](Bytes b, std::uint64_t i) { return exact(load<std::uint64_t>(b, order), false, i, place); });
    case ElementType::i64:
      return doubles([&](Bytes b, std::uint64_t i) {
        const auto word = load<std::uint64_t>(b, order);
        const bool negative = word >> 63 != 0;
        return exact(negative ? ~word + 1 : word, negative, i, place);
      });
    case ElementType::f16:
      return doubles([=](Bytes b, std::uint64_t) { return half_to_double(load<std::uint16_t>(b, order)); });
    case ElementType::f32:
      return read_all<float>(reader, count, size, [=](Bytes b, std::uint64_t) {
        return std::bit_cast<float>(load<std::uint32_t>(b, order));
      });
    case ElementType::f64: break;
  }
  return doubles([=](Bytes b, std::uint64_t) { return std::bit_cast<double>(load<std::uint64_t>(b, order)); });
}

// The values where they lie, where they lie there as memory wants them; else nothing.
template <class T>
std::optional<decltype(Table::values)> map_values(const StreamReader& reader, std::uint64_t count) {
  const std::uint64_t begin = reader.offset();
  if (reader.compressed() || begin % sizeof(T) != 0) return std::nullopt;
  std::shared_ptr<const MappedFile> file = MappedFile::open(reader.name());
  if (file->size() != begin + count * sizeof(T)) return std::nullopt;  // said by who reads it
  const auto* const data = reinterpret_cast<const T*>(file->data() + begin);
  return NumberArray<T>(std::move(file), data, count);
}

std::optional<decltype(Table::values)> map_values(const StreamReader& reader, std::uint64_t count, ElementType type,
                                                  ByteOrder order) {
  static_assert(std::endian::native == std::endian::little);
  if (type == ElementType::u8) return map_values<std::uint8_t>(reader, count);
  if (order != ByteOrder::little) return std::nullopt;
  if (type == ElementType::f32) return map_values<float>(reader, count);
  if (type == ElementType::f64) return map_values<double>(reader, count);
  return std::nullopt;
}

}  // namespace

Index size_of(ElementType type) {
  switch (type) {
    case ElementType::boolean:
    case ElementType::u8:
    case ElementType::i8: return 1;
    case ElementType::u16:
    case ElementType::i16:
    case ElementType::f16: return 2;
    case ElementType::u32:
    case ElementType::i32:
    case ElementType::f32: return 4;
    case ElementType::u64:
    case ElementType::i64:
    case ElementType::f64: break;
  }
  return 8;
}

Table read_elements(StreamReader& reader, std::span<const std::uint64_t> shape, ElementType type, ByteOrder order) {
  const std::string& name = reader.name();
  if (shape.empty()) throw DataError(fmt::format("{}: holds a single number (rows of numbers expected)", name));
  const Index size = size_of(type);
  const std::uint64_t begin = reader.offset();
  const std::uint64_t most = reader.most_bytes();
  const std::uint64_t held = most > begin ? (most - begin) / size : 0;
  std::uint64_t count = 1;
  bool too_many = false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) {
      throw DataError(fmt::format("{}: has no {} (its dimensions are {})", name, i == 0 ? "rows" : "columns",
                                  fmt::join(shape, " x ")));
    }
    too_many = too_many || count > held / shape[i];
    if (!too_many) count *= shape[i];
  }
  if (too_many) {
    throw DataError(fmt::format("{}: byte {}: declares {} values of {} bytes, but the file holds at most {}", name,
                                begin, fmt::join(shape, " x "), size, held));
  }
  Table table;
  table.rows = shape[0];
  table.cols = count / shape[0];
  table.shape.assign(shape.begin(), shape.end());
  if (auto mapped = map_values(reader, count, type, order)) {
    table.values = std::move(*mapped);
    return table;
  }
  table.values = read_values(reader, count, type, order, Place{reader, begin, table.cols, size});
  reader.expect_end();
  return table;
}

}  // namespace v1
}  // namespace harmonium
