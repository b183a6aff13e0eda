#include "event_file.hpp"

#include <bit>
#include <concepts>

#include <boost/crc.hpp>

namespace harmonium::tensorboard {
namespace {

template <std::unsigned_integral T>
void put_fixed(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}
void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

enum WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

void put_tag(std::string& out, unsigned field, WireType type) { put_varint(out, field << 3 | type); }
void put_double(std::string& out, unsigned field, double value) {
  put_tag(out, field, fixed64);
  put_fixed(out, std::bit_cast<std::uint64_t>(value));
}
void put_float(std::string& out, unsigned field, float value) {
  put_tag(out, field, fixed32);
  put_fixed(out, std::bit_cast<std::uint32_t>(value));
}
void put_bytes(std::string& out, unsigned field, std::string_view value) {
  put_tag(out, field, bytes);
  put_varint(out, value.size());
  out += value;
}

std::uint32_t masked_crc(std::string_view text) {
  boost::crc_optimal<32, 0x1edc6f41, 0xffffffff, 0xffffffff, true, true> crc;  // Castagnoli's
  crc.process_bytes(text.data(), text.size());
  const std::uint32_t sum = crc.checksum();
  return (sum >> 15 | sum << 17) + 0xa282ead8u;
}

}  // namespace

std::string record_of(std::string_view text) {
  std::string out;
  put_fixed(out, static_cast<std::uint64_t>(text.size()));
  put_fixed(out, masked_crc(out));
  out += text;
  put_fixed(out, masked_crc(text));
  return out;
}

std::string first_event(double wall_time) {
  std::string event;
  put_double(event, 1, wall_time);
  put_bytes(event, 3, "brain.Event:2");
  return event;
}

std::string scalars_event(double wall_time, std::int64_t step,
                          const std::vector<std::pair<std::string, double>>& scalars) {
  std::string summary;
  for (const auto& scalar : scalars) {
    std::string value;
    put_bytes(value, 1, scalar.first);
    put_float(value, 2, static_cast<float>(scalar.second));
    put_bytes(summary, 1, value);
  }
  std::string event;
  put_double(event, 1, wall_time);
  put_tag(event, 2, varint);
  put_varint(event, static_cast<std::uint64_t>(step));
  put_bytes(event, 5, summary);
  return event;
}

}  // namespace harmonium::tensorboard
