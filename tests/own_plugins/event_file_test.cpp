#include <bit>
#include <cstring>
#include <string>

#include <doctest/doctest.h>

#include <harmonium/plugins/tensorboard/event_file.hpp>

namespace event_file_test {

using namespace harmonium::tensorboard;

namespace {

template <class T>
T fixed_at(const std::string& text, std::size_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value |= static_cast<T>(static_cast<unsigned char>(text.at(at + i))) << (8 * i);
  return value;
}

std::uint32_t masked(std::uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8u; }

}  // namespace

TEST_CASE("a record has its length, its bytes, and the masked checksums of both") {
  const std::string record = record_of("123456789");
  REQUIRE(record.size() == 8 + 4 + 9 + 4);
  CHECK(fixed_at<std::uint64_t>(record, 0) == 9);
  CHECK(record.substr(12, 9) == "123456789");
  // The check value of CRC-32C in the catalog of parametrised algorithms.
  CHECK(fixed_at<std::uint32_t>(record, 21) == masked(0xe3069283u));
  // Of 32 zero bytes: RFC 3720, B.4.
  CHECK(fixed_at<std::uint32_t>(record_of(std::string(32, '\0')), 12 + 32) == masked(0x8a9136aau));
}

TEST_CASE("an event is the message that TensorBoard reads") {
  const std::string first = first_event(1.5);
  CHECK(first == std::string("\x09\0\0\0\0\0\0\xf8\x3f\x1a\x0d"
                             "brain.Event:2",
                             24));
  const std::string scalars = scalars_event(1.5, 300, {{"loss", 0.25}});
  // wall_time; step 300 as a varint; summary of 13 bytes: value of 11: tag "loss", simple_value 0.25.
  CHECK(scalars == std::string("\x09\0\0\0\0\0\0\xf8\x3f\x10\xac\x02\x2a\x0d\x0a\x0b\x0a\x04loss\x15\0\0\x80\x3e", 27));
}

}  // namespace event_file_test
