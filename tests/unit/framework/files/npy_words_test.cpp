#include <harmonium/framework/files/npy_words.hpp>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/npy_start.hpp>
#include <harmonium/tests/support/npy_words.hpp>
#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/zip.hpp>

namespace npy_words_test {

using namespace harmonium;
using namespace harmonium::testing;

using Texts = std::vector<std::string>;

TEST_CASE("texts of numpy are read in either byte order, without the zeros behind them, as UTF-8") {
  const ScratchFolder folder;
  // One, two, three and four bytes of UTF-8; an empty text.
  const std::vector<std::u32string> words{U"cat", U"\u00e9t\u00e9", U"\u20ac", U"\U0001f600", U""};
  const Texts wanted{"cat", "\xC3\xA9t\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", ""};
  for (const bool big_endian : {false, true})
    CHECK(read_npy_words(folder.write("w.npy", npy_words(words, big_endian))) == wanted);
  const auto archive = folder.write("w.npz", zip_bytes({{"x.npy", npy_words({U"a"})}, {"y.npy", npy_words(words)}}));
  CHECK(read_npy_words(archive, "y") == wanted);
}

TEST_CASE("texts of bytes are read as UTF-8, without the zeros behind them alone") {
  const ScratchFolder folder;
  const Texts words{"cat", "\xC3\xA9t\xC3\xA9", "", std::string("a\0b", 3)};
  CHECK(read_npy_words(folder.write("s.npy", npy_byte_words(words))) == words);
  CHECK(read_npy_words(folder.write("s.npz", zip_bytes({{"y.npy", npy_byte_words(words)}})), "y") == words);
  const std::string whole = npy_byte_words({"cat", "horse"});
  CHECK_THROWS_AS(read_npy_words(folder.write("s.npy", whole.substr(0, whole.size() - 1))), DataError);
  CHECK_THROWS_AS(read_npy_words(folder.write("s.npy", whole + "x")), DataError);
  CHECK_THROWS_WITH_AS(read_npy_words(folder.write("s.npy", npy_byte_words({"cat", "t\xE9"}))),
                       ((folder / "s.npy").string() +
                        ": byte 132: 0xe9 is no character in UTF-8. Save the words by numpy.char.decode(words, "
                        "'latin-1'), or what else they are encoded by.")
                           .c_str(),
                       DataError);
}

TEST_CASE("one text is an array without axes, or of one element") {
  const ScratchFolder folder;
  CHECK(read_npy_text(folder.write("t.npy", npy_words({U"a\u00e9"}))) == "a\xC3\xA9");
  CHECK(read_npy_text(folder.write("t.npy", npy_start("'|S3'", "()") + "cat")) == "cat");
  CHECK_THROWS_WITH_AS(
      read_npy_text(folder.write("t.npy", npy_words({U"cat", U"dog"}))),
      ((folder / "t.npy").string() + ": an array of dtype '<U3' and shape (2) (one text expected, as of dtype '<U9')")
          .c_str(),
      DataError);
  CHECK_THROWS_AS(read_npy_text(folder.write("t.npy", npy_start("'|S3'", "()") + "cats")), DataError);
}

TEST_CASE("an array of numbers holds no texts, and what is damaged is refused") {
  const ScratchFolder folder;
  CHECK_FALSE(read_npy_words(folder.write("n.npy", npy_start("'<i4'", "(1,)") + std::string(4, '\0'))));
  const std::string whole = npy_words({U"cat", U"dog"});
  CHECK_THROWS_AS(read_npy_words(folder.write("w.npy", whole.substr(0, whole.size() - 1))), DataError);
  CHECK_THROWS_AS(read_npy_words(folder.write("w.npy", whole + "x")), DataError);
  CHECK_THROWS_WITH_AS(read_npy_words(folder.write("w.npy", npy_start("'<U1'", "(1,)") + std::string("\0\xD8\0\0", 4))),
                       ((folder / "w.npy").string() + ": byte 128: 0xd800 is no character").c_str(), DataError);
  CHECK_THROWS_WITH_AS(
      read_npy_words(folder.write("w.npy", npy_start("'<U1'", "(1, 2)") + std::string(8, '\0'))),
      ((folder / "w.npy").string() + ": texts of shape (1, 2) (a vector, one a row, expected)").c_str(), DataError);
}

}  // namespace npy_words_test
