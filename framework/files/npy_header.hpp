#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <harmonium/framework/files/elements.hpp>
#include <harmonium/framework/files/stream_reader.hpp>

namespace harmonium {
inline namespace v1 {

/// What an .npy file says of its array: numbers of a type, or texts of so many characters.
struct NpyHeader {
  ElementType type = ElementType::f64;  ///< of numbers
  ByteOrder order = ByteOrder::little;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::uint64_t text_width = 0;  ///< characters of each text, '<U5', or its bytes, '|S5'; 0: numbers
  bool byte_texts = false;       ///< of texts: whether they are bytes, in place of characters of 32 bits
  std::string descr;             ///< as it stands there
  std::uint64_t descr_at = 0;    ///< the byte it begins at
};

/// Reads the beginning of an array saved by numpy.save, format versions 1.0 to 3.0. Throws DataError, with the byte offset, where
/// it is none, or neither of numbers nor of texts.
NpyHeader read_npy_header(StreamReader& reader);
/// Throws DataError for a type that is none of those which are read.
[[noreturn]] void refuse_npy_type(const std::string& name, const NpyHeader& header);

}  // namespace v1
}  // namespace harmonium
