#include <harmonium/framework/files/npy_header.hpp>

#include <cctype>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/parsed_number.hpp>

namespace harmonium {
inline namespace v1 {

void refuse_npy_type(const std::string& name, const NpyHeader& header) {
  const bool text = header.text_width > 0, objects = header.descr == "|O";
  throw DataError(fmt::format(
      "{}: byte {}: the dtype '{}' cannot be read (bool, an integer of 8 to 64 bits or a float of 16 to 64 bits "
      "expected){}",
      name, header.descr_at, header.descr,
      text      ? ". Words are read as the labels of rows alone, by data.labels."
      : objects ? ". Save numbers by .astype(float), words by .astype(str)."
                : ""));
}

namespace {

constexpr std::size_t longest_header = std::size_t{1} << 20;
constexpr std::size_t most_dimensions = 32;  // numpy's own limit
constexpr std::uint64_t longest_text = std::uint64_t{1} << 20;

// Reads the header, a Python dictionary: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
 public:
  HeaderParser(const std::string& name, std::uint64_t offset, std::string_view text)
      : name_(name), offset_(offset), text_(text) {}

  NpyHeader parse() {
    NpyHeader header;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !has_descr) {
        has_descr = true;
        read_descr(header);
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        header.fortran_order = truth();
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        header.shape = shape();
      } else {
        fail(fmt::format("the header has an unexpected key '{}'", key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail("the header goes on after its closing brace");
    if (!has_descr || !has_order || !has_shape) fail("the header lacks descr, fortran_order or shape");
    return header;
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    throw DataError(fmt::format("{}: byte {}: {}", name_, offset_ + at_, problem));
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("the header is not as .npy files have it ('{}' expected)", c));
  }
  std::string quoted() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("the header is not as .npy files have it (a quoted word expected)");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string::npos) fail("the header has a word without closing quote");
    std::string word(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return word;
  }
  bool truth() {
    skip_space();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    fail("fortran_order is neither True nor False");
  }
  std::vector<std::uint64_t> shape() {
    std::vector<std::uint64_t> dimensions;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::uint64_t n = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), n);
      if (error != std::errc()) fail("a dimension is no whole number of 64 bits");
      at_ = static_cast<std::size_t>(end - text_.data());
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // as Python 2 wrote long integers
      dimensions.push_back(n);
      if (dimensions.size() > most_dimensions) fail(fmt::format("more than {} dimensions", most_dimensions));
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return dimensions;
  }
  void read_descr(NpyHeader& header) {
    if (accept('[')) fail("a structured dtype cannot be read (a plain number expected). Save one field of it.");
    skip_space();
    const std::size_t begin = at_;
    const std::string descr = quoted();
    static constexpr std::pair<std::string_view, ElementType> known[] = {
        {"b1", ElementType::boolean}, {"u1", ElementType::u8},  {"i1", ElementType::i8},  {"u2", ElementType::u16},
        {"i2", ElementType::i16},     {"u4", ElementType::u32}, {"i4", ElementType::i32}, {"u8", ElementType::u64},
        {"i8", ElementType::i64},     {"f2", ElementType::f16}, {"f4", ElementType::f32}, {"f8", ElementType::f64}};
    header.descr = descr;
    header.descr_at = offset_ + begin;
    for (const auto& [word, type] : known) {
      if (descr.size() != 3 || descr.substr(1) != word) continue;
      const char order = descr[0];
      if (order == '<' || (order == '|' && size_of(type) == 1)) header.order = ByteOrder::little;
      else if (order == '>') header.order = ByteOrder::big;
      else break;
      header.type = type;
      return;
    }
    if (!read_text(header)) refuse_npy_type(name_, header);
  }
  /// Whether it is of texts, such as '<U5', of five characters of 32 bits each, or '|S5', of five bytes.
  static bool read_text(NpyHeader& header) {
    const std::string_view descr = header.descr;
    if (descr.size() < 3) return false;
    const bool bytes = descr.starts_with("|S");
    if (!bytes && !descr.starts_with("<U") && !descr.starts_with(">U")) return false;
    const auto width = parsed_number<std::uint64_t>(descr.substr(2));
    if (!width || *width == 0 || *width > longest_text) return false;
    header.order = descr[0] == '>' ? ByteOrder::big : ByteOrder::little;
    header.text_width = *width;
    header.byte_texts = bytes;
    return true;
  }

  const std::string& name_;
  std::uint64_t offset_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader read_npy_header(StreamReader& reader) {
  unsigned char magic[8];
  reader.read_exactly(magic, 8, "the magic number");
  if (std::memcmp(magic, "\x93NUMPY", 6) != 0) {
    throw DataError(fmt::format("{}: byte 0: not an .npy file: it does not begin with 93 NUMPY{}", reader.name(),
                                magic[0] == 0 && magic[1] == 0 ? ". It may be an IDX file." : ""));
  }
  if (magic[6] < 1 || magic[6] > 3 || magic[7] != 0) {
    throw DataError(fmt::format("{}: byte 6: format version {}.{} is unknown (1.0, 2.0 or 3.0 expected)", reader.name(),
                                magic[6], magic[7]));
  }
  unsigned char b[4] = {};
  reader.read_exactly(b, magic[6] == 1 ? 2 : 4, "the length of the header");
  const std::size_t length = b[0] | std::size_t{b[1]} << 8 | std::size_t{b[2]} << 16 | std::size_t{b[3]} << 24;
  if (length > longest_header) {
    throw DataError(fmt::format("{}: byte 8: declares a header of {} bytes (at most {} expected)", reader.name(),
                                length, longest_header));
  }
  std::string text(length, '\0');
  const std::uint64_t offset = reader.offset();
  reader.read_exactly(text.data(), length, "the header");
  return HeaderParser(reader.name(), offset, text).parse();
}

}  // namespace v1
}  // namespace harmonium
