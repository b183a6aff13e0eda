#include <harmonium/framework/files/idx.hpp>

#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/elements.hpp>
#include <harmonium/framework/files/stream_reader.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

ElementType element_type(const std::string& name, unsigned code) {
  switch (code) {
    case 0x08: return ElementType::u8;
    case 0x09: return ElementType::i8;
    case 0x0B: return ElementType::i16;
    case 0x0C: return ElementType::i32;
    case 0x0D: return ElementType::f32;
    case 0x0E: return ElementType::f64;
    default: break;
  }
  throw DataError(
      fmt::format("{}: byte 2: the element type {:#04x} is unknown (0x08, 0x09, 0x0b, 0x0c, 0x0d or 0x0e "
                  "expected)",
                  name, code));
}

}  // namespace

Table read_idx(const std::filesystem::path& path) {
  StreamReader reader(path);
  unsigned char magic[4];
  reader.read_exactly(magic, 4, "the magic number");
  if (magic[0] != 0 || magic[1] != 0) {
    throw DataError(fmt::format("{}: byte 0: not an IDX file: begins with {:02x} {:02x} (00 00 expected){}",
                                reader.name(), magic[0], magic[1],
                                magic[0] == 0x93 && magic[1] == 'N' ? ". It is an .npy file." : ""));
  }
  const ElementType type = element_type(reader.name(), magic[2]);
  std::vector<std::uint64_t> shape;
  for (unsigned i = 0; i < magic[3]; ++i) {
    unsigned char b[4];
    reader.read_exactly(b, 4, "the dimensions");
    shape.push_back(std::uint64_t{b[0]} << 24 | std::uint64_t{b[1]} << 16 | std::uint64_t{b[2]} << 8 | b[3]);
  }
  return read_elements(reader, shape, type, ByteOrder::big);
}

}  // namespace v1
}  // namespace harmonium
