#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/npz.hpp>
#include <harmonium/framework/files/table.hpp>
#include <harmonium/framework/files/zip_archive.hpp>
#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/zip.hpp>

namespace npz_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// rows × 2 bytes 0, 1, 2, … as numpy.save writes them.
std::string array_bytes(int rows) {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", 2), }";
  header.append(117 - header.size(), ' ');
  header += '\n';
  std::string bytes = std::string("\x93NUMPY\x01") + '\0' + little_endian(header.size(), 2) + header;
  for (int i = 0; i < 2 * rows; ++i) bytes += static_cast<char>(i);
  return bytes;
}

void check_table(const Table& table, Index rows) {
  CHECK(table.rows == rows);
  CHECK(table.cols == 2);
  REQUIRE(table.is_bytes());
  for (Index i = 0; i < 2 * rows; ++i) CHECK(table.at(i / 2, i % 2) == static_cast<double>(i));
}

std::string message_of(const std::filesystem::path& path) {
  try {
    read_npy(path);
  } catch (const DataError& error) {
    return std::string(error.what()).substr(path.string().size());
  }
  return "";
}

}  // namespace

TEST_CASE("an archive of one array is read as that array, stored and deflated, with sizes of 32 and 64 bits") {
  const ScratchFolder folder;
  for (const bool compressed : {false, true})
    for (const bool wide : {false, true}) {
      folder.write("a.npz", zip_bytes({{"notes.txt", "no array"}, {"x.npy", array_bytes(60), compressed, wide}}));
      CHECK(is_zip_archive(folder / "a.npz"));
      CHECK(table_format(folder / "a.npz") == TableFormat::npy);
      check_table(read_npy(folder / "a.npz"), 60);
    }
}

TEST_CASE("an archive of no array, of several, or of what cannot be read is refused with the reason") {
  const ScratchFolder folder;
  const auto refused = [&](const std::vector<Packed>& members) {
    folder.write("a.npz", zip_bytes(members));
    return message_of(folder / "a.npz");
  };
  CHECK(refused({}) == ": a zip archive that holds no array (.npy)");
  CHECK(refused({{"x.npy", array_bytes(3)}, {"y.npy", array_bytes(4)}}) ==
        ": holds 2 arrays, and one is read: x, y. Name it as in a.npz:array=x.");
  CHECK(refused({{.name = "x.npy", .content = array_bytes(3), .flags = 1}}) ==
        ": its member 'x.npy' is encrypted. Make it without a password.");
  CHECK(refused({{.name = "x.npy", .content = array_bytes(3), .method = 12}}) ==
        ": its member 'x.npy' is compressed in another way than by deflate. Make it anew.");
  CHECK(refused({{"x.npy", "no array"}}) == ":x.npy: byte 0: not an .npy file: it does not begin with 93 NUMPY");
  std::string other = zip_bytes({{"x.npy", array_bytes(3)}});
  other[other.find("(3, 2)") + 1] = '2';  // its checksum tells
  folder.write("a.npz", other);
  CHECK(message_of(folder / "a.npz") == ":x.npy: byte 132: the data ends here by its header, but more follows");
  other = zip_bytes({{"x.npy", array_bytes(3)}});
  other[other.find("PK\1\2") - 1] = 'x';
  folder.write("a.npz", other);
  CHECK(message_of(folder / "a.npz") == ": its member 'x.npy' is damaged: CRC error. Fetch or make it again.");
}

TEST_CASE("one of several arrays of an archive is chosen by its name") {
  const ScratchFolder folder;
  const auto path = folder.write("a.npz", zip_bytes({{"x.npy", array_bytes(3)}, {"labels.npy", array_bytes(4), true}}));
  check_table(read_npy(path, "x"), 3);
  check_table(read_npy(path, "labels"), 4);
  const auto refused = [](const auto& call) {
    try {
      call();
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused([&] { read_npy(path, "lables"); }) == "[data] array is 'lables', but " + path.string() +
                                                          " has no such array (did you mean 'labels'?). It has: x, "
                                                          "labels.");
  CHECK(npz_arrays(path) == std::vector<std::string>{"x", "labels"});
  need_npz_array(path, "x", "", "");
  CHECK(refused([&] { need_npz_array(path, "", "it: ", "Write a.npz:{}."); }) ==
        "it: holds 2 arrays, and one is read: x, labels. Write a.npz:x.");
  const auto plain = folder.write("a.npy", array_bytes(3));
  CHECK(npz_arrays(plain).empty());
  need_npz_array(plain, "", "", "");
  CHECK(refused([&] { read_npy(plain, "x"); }) ==
        "[data] array is 'x', but " + plain.string() + " is no archive of arrays (.npz). Leave it out.");
}

TEST_CASE("an array is named behind its file, unless a file has the whole name") {
  const ScratchFolder folder;
  const auto path = folder.write("a.npz", zip_bytes({{"x.npy", array_bytes(3)}, {"y.npy", array_bytes(4), true}}));
  const std::string y = path.string() + ":array=y";
  CHECK(named_array(y).file == path);
  CHECK(named_array(y).array == "y");
  check_table(read_table(y), 4);
  CHECK(named_array(path).array.empty());
  for (const std::string& none : {path.string() + ":array=", (folder / "b.npz:array=y").string()}) {
    CHECK(named_array(none).file == none);
    CHECK(named_array(none).array.empty());
  }
  folder.write("a.npz:array=y", array_bytes(3));
  CHECK(named_array(y).file == y);
}

TEST_CASE("an archive that says more than it holds is refused before memory is asked for") {
  const ScratchFolder folder;
  // A directory that is said to have 2^33 entries, in its record of 64 bits.
  const std::string body = "PK\3\4" + std::string(200, '\0');
  for (const std::uint64_t entries : {std::uint64_t{1} << 33, std::uint64_t{1} << 20, ~std::uint64_t{0}})
    for (const std::uint64_t size : {std::uint64_t{100}, 46 * entries}) {
      const std::string end64 = "PK\6\6" + little_endian(44, 8) + little_endian(45, 2) + little_endian(45, 2) +
                                little_endian(0, 8) + little_endian(entries, 8) + little_endian(entries, 8) +
                                little_endian(size, 8) + little_endian(4, 8);
      folder.write("a.npz", body + end64 + "PK\6\7" + little_endian(0, 4) + little_endian(body.size(), 8) +
                                little_endian(1, 4) + "PK\5\6" + std::string(8, '\xFF') + std::string(8, '\xFF') +
                                little_endian(0, 2));
      CHECK(message_of(folder / "a.npz").ends_with("Fetch or make it again."));
    }
  // A member of a few bytes that is said to hold gigabytes.
  std::string bomb = zip_bytes({{"x.npy", array_bytes(60), true}});
  const std::size_t at = bomb.find("PK\1\2");
  bomb.replace(at + 24, 4, little_endian(0xF0000000, 4));
  folder.write("a.npz", bomb);
  CHECK(message_of(folder / "a.npz").ends_with("Fetch or make it again."));
}

TEST_CASE("an archive that is cut short anywhere, or has any byte changed, is refused or read as what it is") {
  const ScratchFolder folder;
  for (const bool compressed : {false, true}) {
    const std::string whole = zip_bytes({{"x.npy", array_bytes(5), compressed, true}});
    for (std::size_t size = 4; size < whole.size(); ++size) {
      folder.write("cut.npz", whole.substr(0, size));
      CHECK(message_of(folder / "cut.npz").ends_with("Fetch or make it again."));
    }
    std::size_t told = 0;
    for (std::size_t at = 4; at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 0x55);
      folder.write("changed.npz", changed);
      const std::string message = message_of(folder / "changed.npz");
      if (message.empty()) check_table(read_npy(folder / "changed.npz"), 5);
      else ++told;
    }
    // Times and versions are not looked at; the content, its place and its size are.
    CHECK(told > whole.size() / 2);
  }
}

}  // namespace npz_test
