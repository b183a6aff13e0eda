#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <zlib.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/table.hpp>
#include <harmonium/framework/files/zip_archive.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace npz_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::string word(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 255);
  return text;
}

/// rows × 2 bytes 0, 1, 2, … as numpy.save writes them.
std::string array_bytes(int rows) {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", 2), }";
  header.append(117 - header.size(), ' ');
  header += '\n';
  std::string bytes = std::string("\x93NUMPY\x01") + '\0' + word(header.size(), 2) + header;
  for (int i = 0; i < 2 * rows; ++i) bytes += static_cast<char>(i);
  return bytes;
}

std::string deflated(const std::string& content) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(content.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  const std::size_t size = stream.total_out;
  deflateEnd(&stream);
  return out.substr(0, size);
}

struct Packed {
  std::string name, content;
  bool compressed = false;
  bool wide = false;  ///< sizes of 64 bits, in the directory too
  int flags = 0, method = -1;
};

/// A zip archive, as APPNOTE.TXT has it. Local headers are as numpy writes them: their sizes in an extension of 64 bits.
std::string zip_bytes(const std::vector<Packed>& members) {
  std::string file, directory;
  for (const Packed& m : members) {
    const std::string stored = m.compressed ? deflated(m.content) : m.content;
    const int method = m.method >= 0 ? m.method : m.compressed ? 8 : 0;
    const auto checksum =
        crc32(0, reinterpret_cast<const Bytef*>(m.content.data()), static_cast<uInt>(m.content.size()));
    const std::string wide = word(1, 2) + word(16, 2) + word(m.content.size(), 8) + word(stored.size(), 8);
    const std::string common = word(45, 2) + word(m.flags, 2) + word(method, 2) + word(0, 4) + word(checksum, 4);
    const std::size_t local = file.size();
    file += "PK\3\4" + common + word(0xFFFFFFFF, 4) + word(0xFFFFFFFF, 4) + word(m.name.size(), 2) +
            word(wide.size(), 2) + m.name + wide + stored;
    directory += "PK\1\2" + word(45, 2) + common + word(m.wide ? 0xFFFFFFFF : stored.size(), 4) +
                 word(m.wide ? 0xFFFFFFFF : m.content.size(), 4) + word(m.name.size(), 2) +
                 word(m.wide ? wide.size() : 0, 2) + word(0, 2) + word(0, 2) + word(0, 2) + word(0, 4) +
                 word(local, 4) + m.name + (m.wide ? wide : "");
  }
  return file + directory + "PK\5\6" + word(0, 4) + word(members.size(), 2) + word(members.size(), 2) +
         word(directory.size(), 4) + word(file.size(), 4) + word(0, 2);
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
        ": holds 2 arrays, and one is read: x, y. Set data.array.");
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
  const auto plain = folder.write("a.npy", array_bytes(3));
  CHECK(refused([&] { read_npy(plain, "x"); }) ==
        "[data] array is 'x', but " + plain.string() + " is no archive of arrays (.npz). Leave it out.");
}

TEST_CASE("an archive that says more than it holds is refused before memory is asked for") {
  const ScratchFolder folder;
  // A directory that is said to have 2^33 entries, in its record of 64 bits.
  const std::string body = "PK\3\4" + std::string(200, '\0');
  for (const std::uint64_t entries : {std::uint64_t{1} << 33, std::uint64_t{1} << 20, ~std::uint64_t{0}})
    for (const std::uint64_t size : {std::uint64_t{100}, 46 * entries}) {
      const std::string end64 = "PK\6\6" + word(44, 8) + word(45, 2) + word(45, 2) + word(0, 8) + word(entries, 8) +
                                word(entries, 8) + word(size, 8) + word(4, 8);
      folder.write("a.npz", body + end64 + "PK\6\7" + word(0, 4) + word(body.size(), 8) + word(1, 4) + "PK\5\6" +
                                std::string(8, '\xFF') + std::string(8, '\xFF') + word(0, 2));
      CHECK(message_of(folder / "a.npz").ends_with("Fetch or make it again."));
    }
  // A member of a few bytes that is said to hold gigabytes.
  std::string bomb = zip_bytes({{"x.npy", array_bytes(60), true}});
  const std::size_t at = bomb.find("PK\1\2");
  bomb.replace(at + 24, 4, word(0xF0000000, 4));
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
