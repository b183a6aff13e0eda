#include <harmonium/framework/core/utf8.hpp>

#include <doctest/doctest.h>

namespace utf8_test {

using namespace harmonium;

TEST_CASE("characters of UTF-8 of every length are found, and bytes that are none of one are replaced") {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9E";  // a, e acute, the euro, a clef
  CHECK(utf32_of(text) == U"a\u00E9\u20AC\U0001D11E");
  CHECK(utf8_length(text, 0) == 1);
  CHECK(utf8_length(text, 1) == 2);
  CHECK(utf8_length(text, 3) == 3);
  CHECK(utf8_length(text, 6) == 4);
  CHECK(utf8_length(text, 7) == 0);
  CHECK(utf32_of("").empty());
  // A byte of Latin 1, a character cut off, an overlong one, half of a pair of UTF-16, and one beyond the last.
  CHECK(utf32_of("\xE9t") == U"\uFFFDt");
  CHECK(utf32_of("\xE2\x82") == U"\uFFFD\uFFFD");
  CHECK(utf32_of("\xC0\x80") == U"\uFFFD\uFFFD");
  CHECK(utf32_of("\xED\xA0\x80") == U"\uFFFD\uFFFD\uFFFD");
  CHECK(utf32_of("\xF4\x90\x80\x80") == U"\uFFFD\uFFFD\uFFFD\uFFFD");
}

}  // namespace utf8_test
