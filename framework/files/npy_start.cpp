#include <harmonium/framework/files/npy_start.hpp>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {

std::string npy_start(std::string_view descr, std::string_view shape) {
  std::string header = fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': {}, }}", descr, shape);
  constexpr std::size_t prefix = 10, alignment = 64;
  header.append(alignment - 1 - (prefix + header.size()) % alignment, ' ');
  header += '\n';
  std::string start("\x93NUMPY\x01", 7);
  start += '\0';
  start += static_cast<char>(header.size() & 255);
  start += static_cast<char>(header.size() >> 8);
  return start + header;
}

}  // namespace v1
}  // namespace harmonium
