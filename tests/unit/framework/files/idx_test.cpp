#include <harmonium/framework/files/idx.hpp>

#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/data.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace idx_test {

using namespace harmonium;
using harmonium::testing::content_of;
using harmonium::testing::message_of;
using harmonium::testing::ScratchFolder;

namespace {

template <class T>
std::string big_endian(T value) {
  using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                                     std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;
  const auto word = std::bit_cast<Word>(value);
  std::string bytes;
  for (std::size_t i = sizeof(T); i-- > 0;)
    bytes += static_cast<char>(static_cast<std::uint64_t>(word) >> (8 * i) & 255);
  return bytes;
}

std::string header(char type, const std::vector<std::uint32_t>& shape) {
  std::string text{'\0', '\0', type, static_cast<char>(shape.size())};
  for (const std::uint32_t n : shape) text += big_endian(n);
  return text;
}

template <class T>
void check_round_trip(char type, const std::vector<T>& numbers) {
  const ScratchFolder folder;
  std::string content = header(type, {2, static_cast<std::uint32_t>(numbers.size() / 2)});
  for (const T v : numbers) content += big_endian(v);
  for (const auto& path : {folder.write("a.idx", content), folder.write_gzipped("a.idx.gz", content)}) {
    const Table table = read_idx(path);
    REQUIRE(table.rows == 2);
    REQUIRE(table.cols == numbers.size() / 2);
    for (Index i = 0; i < numbers.size(); ++i) {
      CHECK(table.at(i / table.cols, i % table.cols) == static_cast<double>(numbers[i]));
    }
    CHECK(table.is_bytes() == std::is_same_v<T, std::uint8_t>);
    CHECK(std::holds_alternative<NumberArray<float>>(table.values) == std::is_same_v<T, float>);
  }
}

std::string refusal(const std::string& content) {
  const ScratchFolder folder;
  return message_of<DataError>([&] { read_idx(folder.write("a.idx", content)); });
}

bool says(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("IDX: every type is read as it was written, plain and gzipped") {
  check_round_trip<std::uint8_t>(0x08, {0, 1, 127, 128, 254, 255});
  check_round_trip<std::int8_t>(0x09, {0, 1, 127, -128, -1, 5});
  check_round_trip<std::int16_t>(0x0B, {0, 1, 32767, -32768, -1, 258});
  check_round_trip<std::int32_t>(0x0C, {0, 1, 2147483647, -2147483647 - 1, -1, 66051});
  check_round_trip<float>(0x0D, {0.0f, 1.5f, -1e30f, 1e-40f, 3.25f, -0.5f});
  check_round_trip<double>(0x0E, {0.0, 0.1, -1e300, 5e-324, 3.25, -0.5});
}

TEST_CASE("IDX: the first dimension counts the rows, the others are columns") {
  const ScratchFolder folder;
  const Table images = read_idx(folder.write("a", header(8, {2, 3, 2}) + "abcdefghijkl"));
  CHECK(images.rows == 2);
  CHECK(images.cols == 6);
  CHECK(images.shape == std::vector<Index>{2, 3, 2});
  CHECK(images.at(1, 0) == 'g');
  const Table labels = read_idx(folder.write("b", header(8, {3}) + "abc"));
  CHECK(labels.rows == 3);
  CHECK(labels.cols == 1);
}

TEST_CASE("IDX: malformed files are refused with the place and what was expected") {
  CHECK(says(refusal(""), "byte 0: the file ends within the magic number (4 bytes expected, 0 found)"));
  CHECK(says(refusal(std::string("\0\0\x08", 3)), "the file ends within the magic number (4 bytes expected, 3 found)"));
  CHECK(says(refusal("abcdefgh"), "byte 0: not an IDX file: begins with 61 62 (00 00 expected)"));
  CHECK(says(refusal("\x93NUMPY\x01"), "It is an .npy file."));
  CHECK(says(refusal(header(0x0A, {1, 1}) + "a"), "byte 2: the element type 0x0a is unknown"));
  CHECK(says(refusal(header(8, {2, 3}).substr(0, 9)),
             "byte 8: the file ends within the dimensions (4 bytes expected, 1 found)"));
  CHECK(says(refusal(header(8, {})), "holds a single number"));
  CHECK(says(refusal(header(8, {0, 3})), "has no rows (its dimensions are 0 x 3)"));
  CHECK(says(refusal(header(8, {3, 0})), "has no columns (its dimensions are 3 x 0)"));
  CHECK(says(refusal(header(8, {2, 3}) + "abcde"),
             "byte 12: declares 2 x 3 values of 1 bytes, but the file holds at most 5"));
  CHECK(says(refusal(header(8, {2, 3}) + "abcdefg"), "byte 18: the data ends here by its header, but more follows"));
  CHECK(says(refusal(header(0x0E, {4294967295u, 4294967295u, 4294967295u}) + "abcdefgh"),
             "but the file holds at most 1"));
  CHECK(says(refusal(header(8, {100000, 100000}) + "abc"), "declares 100000 x 100000 values"));
}

TEST_CASE("IDX: a compressed file that is short, cut, damaged, or declares too much is refused") {
  const ScratchFolder folder;
  std::string body;
  for (int i = 0; i < 20000; ++i) body += static_cast<char>(i * i % 251);
  const auto reading = [&](const std::filesystem::path& path) {
    return message_of<DataError>([&] { read_idx(path); });
  };

  // As many as deflate could make of it, but fewer are there.
  CHECK(says(reading(folder.write_gzipped("short.gz", header(8, {300, 100}) + body)),
             "declares 30000 values of 1 bytes, but the file holds 20000"));
  CHECK(says(reading(folder.write_gzipped("vast.gz", header(0x0E, {1000000, 1000000, 1000}) + body)),
             "declares 1000000 x 1000000 x 1000 values of 8 bytes, but the file holds at most"));
  CHECK(says(reading(folder.write_gzipped("long.gz", header(8, {100, 100}) + body)), "more follows"));

  const std::string good = content_of(folder.write_gzipped("good.gz", header(8, {200, 100}) + body));
  CHECK(read_idx(folder / "good.gz").rows == 200);
  for (const std::size_t size : {good.size() - 1, good.size() - 8, good.size() - 9, good.size() / 2, std::size_t{12}}) {
    CHECK(says(reading(folder.write("cut.gz", good.substr(0, size))), "the compressed file is cut short"));
  }
  std::string wrong_sum = good;
  wrong_sum[good.size() - 8] = static_cast<char>(wrong_sum[good.size() - 8] ^ 1);
  CHECK(says(reading(folder.write("sum.gz", wrong_sum)), "the compressed file is damaged (incorrect data check)"));
  std::string wrong_length = good;
  wrong_length[good.size() - 1] = static_cast<char>(wrong_length[good.size() - 1] ^ 1);
  CHECK(says(reading(folder.write("length.gz", wrong_length)), "damaged (incorrect length check)"));
  for (std::size_t at = 10; at < good.size(); at += 97) {
    std::string flipped = good;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    CHECK(reading(folder.write("flipped.gz", flipped)) != "");
  }
}

TEST_CASE("IDX: what cannot be read is an error of the file, not of its content") {
  const ScratchFolder folder;
  CHECK(says(message_of<FileError>([&] { read_idx(folder / "nothing"); }),
             "cannot be opened: No such file or directory"));
  CHECK(says(message_of<FileError>([&] { read_idx(folder.path()); }), "is a folder, not a file"));
}

TEST_CASE("IDX: MNIST is 60000 images of 28 x 28 bytes") {
  const auto path = harmonium::testing::data_file("mnist/train-images-idx3-ubyte.gz");
  if (!path) return;
  const Table table = read_table(*path);
  CHECK(table.rows == 60000);
  CHECK(table.cols == 784);
  CHECK(table.shape == std::vector<Index>{60000, 28, 28});
  REQUIRE(table.is_bytes());
  const auto& bytes = std::get<NumberArray<std::uint8_t>>(table.values);
  CHECK(bytes.size() == 47040000);
  double sum = 0;
  for (const std::uint8_t b : bytes) sum += b;
  CHECK(sum / 47040000 == doctest::Approx(33.3184).epsilon(1e-5));  // the mean that the literature normalizes by
  CHECK(table.at(0, 5 * 28 + 12) == 3);                             // the first image, a 5, begins here
  const auto labels = harmonium::testing::data_file("mnist/train-labels-idx1-ubyte.gz");
  if (!labels) return;
  const Table digits = read_table(*labels);
  CHECK(digits.rows == 60000);
  CHECK(digits.cols == 1);
  CHECK(digits.at(0, 0) == 5);
  CHECK(digits.at(1, 0) == 0);
}

}  // namespace idx_test
