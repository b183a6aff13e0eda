#include <harmonium/framework/files/npy.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/tables.hpp>

namespace npy_test {

using namespace harmonium;
using harmonium::testing::content_of;
using harmonium::testing::held;
using harmonium::testing::message_of;
using harmonium::testing::ScratchFolder;

namespace {

// A file as numpy.save writes it, of any version.
std::string npy(const std::string& dictionary, const std::string& body, int version = 1) {
  std::string text("\x93NUMPY", 6);
  text += static_cast<char>(version);
  text += '\0';
  const std::size_t prefix = version == 1 ? 10 : 12;
  std::string header = dictionary;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  for (std::size_t i = 0; i < prefix - 8; ++i) text += static_cast<char>(header.size() >> (8 * i) & 255);
  return text + header + body;
}

std::string dictionary(const std::string& descr, const std::string& shape, const char* fortran = "False") {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr, fortran, shape);
}

template <class T>
std::string bytes_of(T value, bool big) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  if (big) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

template <class T>
void check_type(const std::string& word, const std::vector<T>& numbers) {
  const ScratchFolder folder;
  for (const char order : {'<', '>', '|'}) {
    if ((order == '|') != (sizeof(T) == 1)) continue;
    std::string body;
    for (const T v : numbers) body += bytes_of(v, order == '>');
    for (const int version : {1, 2, 3}) {
      const std::string content =
          npy(dictionary(order + word, fmt::format("(2, {})", numbers.size() / 2)), body, version);
      for (const auto& path : {folder.write("a.npy", content), folder.write_gzipped("a.npy.gz", content)}) {
        const Table table = read_npy(path);
        REQUIRE(table.rows == 2);
        REQUIRE(table.cols == numbers.size() / 2);
        for (Index i = 0; i < numbers.size(); ++i) {
          CHECK(table.at(i / table.cols, i % table.cols) == static_cast<double>(numbers[i]));
        }
        CHECK(table.is_bytes() == std::is_same_v<T, std::uint8_t>);
        CHECK(std::holds_alternative<NumberArray<float>>(table.values) == std::is_same_v<T, float>);
      }
    }
  }
}

std::string refusal(const std::string& content) {
  const ScratchFolder folder;
  return message_of<DataError>([&] { read_npy(folder.write("a.npy", content)); });
}

bool says(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("npy: every dtype, byte order and version is read as it was written") {
  check_type<std::uint8_t>("b1", {0, 1, 1, 0});
  check_type<std::uint8_t>("u1", {0, 1, 128, 255});
  check_type<std::int8_t>("i1", {0, 127, -128, -1});
  check_type<std::uint16_t>("u2", {0, 1, 258, 65535});
  check_type<std::int16_t>("i2", {0, 258, -32768, -1});
  check_type<std::uint32_t>("u4", {0, 1, 66051, 4294967295u});
  check_type<std::int32_t>("i4", {0, 66051, -2147483647 - 1, -1});
  check_type<std::uint64_t>("u8", {0, 1, 72623859790382856u >> 4, std::uint64_t{1} << 53});
  check_type<std::int64_t>("i8", {0, -1, -(std::int64_t{1} << 53), std::int64_t{1} << 53});
  check_type<float>("f4", {0.0f, 1.5f, -1e30f, 1e-40f});
  check_type<double>("f8", {0.0, 0.1, -1e300, 5e-324});
}

TEST_CASE("npy: half floats") {
  const ScratchFolder folder;
  std::string body;
  for (const int h : {0x0000, 0x3C00, 0xC000, 0x3555, 0x0001, 0x7BFF, 0x7C00, 0x7E00}) {
    body += bytes_of(static_cast<std::uint16_t>(h), false);
  }
  const Table t = read_npy(folder.write("a.npy", npy(dictionary("<f2", "(8,)"), body)));
  CHECK(t.at(0, 0) == 0);
  CHECK(t.at(1, 0) == 1);
  CHECK(t.at(2, 0) == -2);
  CHECK(t.at(3, 0) == 1365.0 / 4096);
  CHECK(t.at(4, 0) == 0x1p-24);
  CHECK(t.at(5, 0) == 65504);
  CHECK(t.at(6, 0) == std::numeric_limits<double>::infinity());
  CHECK(t.at(7, 0) != t.at(7, 0));
}

TEST_CASE("npy: dimensions") {
  const ScratchFolder folder;
  const Table vector = read_npy(folder.write("a.npy", npy(dictionary("|u1", "(3,)"), "abc")));
  CHECK(vector.rows == 3);
  CHECK(vector.cols == 1);
  // Written by Python 2, keys in another order, double quotes, no trailing comma.
  const Table cube = read_npy(
      folder.write("b.npy", npy("{\"shape\": (2L, 2, 3), 'fortran_order':False,\"descr\":'|u1'}", "abcdefghijkl")));
  CHECK(cube.shape == std::vector<Index>{2, 2, 3});
  CHECK(cube.at(1, 5) == 'l');
}

TEST_CASE("npy: Fortran order is transposed") {
  const ScratchFolder folder;
  const Table t = read_npy(folder.write("a.npy", npy(dictionary("|u1", "(2, 3)", "True"), "adbecf")));
  CHECK(held<std::uint8_t>(t) == std::vector<std::uint8_t>{'a', 'b', 'c', 'd', 'e', 'f'});
  // a[i, j, k] = 100 i + 10 j + k of shape (2, 3, 4): the first index runs fastest.
  std::string body;
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 2; ++i) body += bytes_of(100.0 * i + 10.0 * j + k, true);
    }
  }
  const Table cube = read_npy(folder.write("b.npy", npy(dictionary(">f8", "(2, 3, 4)", "True"), body)));
  for (Index i = 0; i < 2; ++i) {
    for (Index c = 0; c < 12; ++c) {
      const Index value = 100 * i + 10 * (c / 4) + c % 4;
      CHECK(cube.at(i, c) == static_cast<double>(value));
    }
  }
}

TEST_CASE("npy: malformed files are refused with the place and what was expected") {
  const std::string good = npy(dictionary("<f8", "(2, 3)"), std::string(48, '\0'));
  REQUIRE(refusal(good) == "");
  CHECK(says(refusal(good.substr(0, 5)), "the file ends within the magic number (8 bytes expected, 5 found)"));
  CHECK(says(refusal("x" + good), "byte 0: not an .npy file"));
  CHECK(says(refusal(std::string("\0\0\x08\x01\0\0\0\x01z", 9)), "It may be an IDX file."));
  std::string version = good;
  version[6] = 4;
  CHECK(says(refusal(version), "byte 6: format version 4.0 is unknown"));
  CHECK(says(refusal(good.substr(0, 9)), "the file ends within the length of the header (2 bytes expected, 1 found)"));
  CHECK(says(refusal(good.substr(0, 40)), "the file ends within the header (118 bytes expected, 30 found)"));
  std::string vast = npy(dictionary("<f8", "(2, 3)"), "", 2);
  vast[11] = 0x7F;
  CHECK(says(refusal(vast), "declares a header of"));

  const auto refused = [](const std::string& text) { return refusal(npy(text, std::string(48, '\0'))); };
  CHECK(says(refused("nonsense"), "byte 10: the header is not as .npy files have it ('{' expected)"));
  CHECK(says(refused("{'descr': '<f8', 'shape': (2, 3)}"), "the header lacks descr, fortran_order or shape"));
  CHECK(says(refused("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'more': 1}"),
             "an unexpected key 'more'"));
  CHECK(says(refused("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2, 3)}"),
             "fortran_order is neither True nor False"));
  CHECK(says(refused("{'descr': '<f8, }"), "the header has a word without closing quote"));
  CHECK(says(refused(dictionary("<f8", "(2, 3)") + "}"), "the header goes on after its closing brace"));
  CHECK(says(refused(dictionary("<f8", "(2, -3)")), "a dimension is no whole number"));
  CHECK(says(refused(dictionary("<f8", "(99999999999999999999,)")), "a dimension is no whole number of 64 bits"));
  CHECK(says(refused(dictionary("<f8", "(2 3)")), "')' expected"));
  std::string deep = "(";
  for (int i = 0; i < 40; ++i) deep += "1, ";
  CHECK(says(refused(dictionary("<f8", deep + ")")), "more than 32 dimensions"));
  for (const char* dtype : {"<c16", "|O", "<U5", "|S3", "<M8[ns]", "<f16", "f8", "=f8", "|f8", "<i3", ""}) {
    CHECK(says(refused(dictionary(dtype, "(2, 3)")), fmt::format("the dtype '{}' cannot be read", dtype)));
  }
  CHECK(says(refused("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}"),
             "a structured dtype cannot be read"));
  CHECK(says(refused(dictionary("<f8", "()")), "holds a single number"));
  CHECK(says(refused(dictionary("<f8", "(0, 3)")), "has no rows"));
  CHECK(says(refused(dictionary("<f8", "(3, 0)")), "has no columns"));
  CHECK(says(refused(dictionary("<f8", "(2, 4)")), "declares 2 x 4 values of 8 bytes, but the file holds at most 6"));
  CHECK(says(refused(dictionary("<f8", "(1000000000000000,)")), "declares 1000000000000000 values"));
  CHECK(says(refused(dictionary("<f8", "(4294967296, 4294967296, 2)")), "but the file holds at most 6"));
  CHECK(says(refused(dictionary("<f8", "(1, 3)")), "byte 152: the data ends here by its header, but more follows"));
  CHECK(says(refusal(npy(dictionary("|b1", "(1, 3)"), "\x01\x01\x02")),
             "row 0, column 2 (both counted from 0; byte 130): the byte 2 is no truth value"));
}

TEST_CASE("npy: integers that no double holds are refused where they stand") {
  const auto body = bytes_of(std::int64_t{1}, false) + bytes_of((std::int64_t{1} << 53) + 1, false);
  CHECK(says(refusal(npy(dictionary("<i8", "(2, 1)"), body)),
             "row 1, column 0 (both counted from 0; byte 136): 9007199254740993 is beyond 2^53"));
  CHECK(says(refusal(npy(dictionary("<i8", "(1,)"), bytes_of(std::numeric_limits<std::int64_t>::min(), false))),
             "-9223372036854775808 is beyond 2^53"));
  CHECK(says(refusal(npy(dictionary(">u8", "(1,)"), bytes_of(~std::uint64_t{0}, false))),
             "18446744073709551615 is beyond"));
}

TEST_CASE("npy: what is written is read back, and rows may lie apart in memory") {
  const ScratchFolder folder;
  const std::vector<double> numbers = {1, 0.1, -1e300, 4, 5, 6, 7, 8};
  write_npy(folder / "d.npy", MatrixView<const double>{numbers.data(), 2, 3, 4});
  const Table d = read_table(folder / "d.npy");
  CHECK(held<double>(d) == std::vector<double>{1, 0.1, -1e300, 5, 6, 7});
  CHECK(content_of(folder / "d.npy").substr(0, 128) ==
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", ""));
  const std::vector<float> floats = {1.5f, -2.5f};
  write_npy(folder / "f.npy", MatrixView<const float>{floats.data(), 1, 2, 2});
  CHECK(held<float>(read_npy(folder / "f.npy")) == floats);
  const std::vector<std::uint8_t> bytes = {0, 255, 7};
  write_npy(folder / "b.npy", MatrixView<const std::uint8_t>{bytes.data(), 3, 1, 1});
  CHECK(held<std::uint8_t>(read_npy(folder / "b.npy")) == bytes);
  CHECK(says(message_of<FileError>([&] {
               write_npy(folder / "none/b.npy", MatrixView<const std::uint8_t>{bytes.data(), 3, 1, 1});
             }),
             "cannot be created: No such file or directory"));
}

TEST_CASE("a table's kind is known by its first bytes, then by its name") {
  const ScratchFolder folder;
  const std::string array = npy(dictionary("|u1", "(1,)"), "a");
  CHECK(table_format(folder.write("misnamed.idx", array)) == TableFormat::npy);
  CHECK(table_format(folder.write_gzipped("any", array)) == TableFormat::npy);
  CHECK(table_format(folder.write("b", std::string("\0\0\x08\x01\0\0\0\x01z", 9))) == TableFormat::idx);
  CHECK(table_format(folder.write("c.npy", "broken")) == TableFormat::npy);
  CHECK(table_format(folder.write("t10k-images-idx3-ubyte.gz", "broken")) == TableFormat::idx);
  CHECK(table_format(folder.write("d", "\x89HDF\r\n\x1a\n")) == TableFormat::hdf5);
  CHECK(table_format(folder.write("e", ">one\nACDE\n")) == TableFormat::fasta);
  CHECK(table_format(folder.write("f", "0,1,2.5e-3\n")) == TableFormat::csv);
  CHECK(table_format(folder.write_gzipped("g.tsv.gz", "height\tweight\n")) == TableFormat::csv);
  CHECK(table_format(folder.write("h.faa", "")) == TableFormat::fasta);
  CHECK(table_format(folder.write("i.h5", "")) == TableFormat::hdf5);
  for (const TableFormat format :
       {TableFormat::idx, TableFormat::npy, TableFormat::csv, TableFormat::hdf5, TableFormat::fasta})
    CHECK_FALSE(name_of(format).empty());
  CHECK(says(message_of<DataError>([&] { read_table(folder.write("a.txt", "some words\n")); }),
             "Known are IDX (MNIST's container), .npy, CSV and FASTA, each plain or gzipped, and HDF5."));
  CHECK(read_table(folder / "f").cols == 3);
}

TEST_CASE("a file whose numbers lie in it as memory wants them is mapped, not read") {
  const ScratchFolder folder;
  const std::vector<float> floats = {1.5f, -2.5f, 0, 4};
  write_npy(folder / "f.npy", MatrixView<const float>{floats.data(), 2, 2, 2});
  Table kept;
  {
    const Table table = read_npy(folder / "f.npy");
    CHECK(table.mapped());
    kept = table;
  }
  std::filesystem::remove(folder / "f.npy");
  CHECK(held<float>(kept) == floats);  // for as long as any copy lives
  CHECK(read_table(folder.write("b", std::string("\0\0\x08\x01\0\0\0\x01z", 9))).mapped());
  CHECK_FALSE(read_npy(folder.write_gzipped("c.npy.gz", npy(dictionary("|u1", "(1,)"), "a"))).mapped());
  CHECK_FALSE(read_npy(folder.write("d.npy", npy(dictionary("|b1", "(1,)"), std::string(1, '\1')))).mapped());
  CHECK_FALSE(read_npy(folder.write("e.npy", npy(dictionary(">f4", "(1,)"), "abcd"))).mapped());
  CHECK_FALSE(read_npy(folder.write("f.npy", npy(dictionary("|u1", "(2, 2)", "True"), "abcd"))).mapped());
}

}  // namespace npy_test
