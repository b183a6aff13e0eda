#include <harmonium/framework/files/hdf5_handle.hpp>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {

std::string library_words() {
  std::string words;
  const auto take = [](unsigned n, const H5E_error2_t* error, void* out) -> herr_t {
    if (n == 0 && error->desc) *static_cast<std::string*>(out) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &words);
  constexpr std::string_view quoted = "error message = '";
  if (const auto begin = words.find(quoted); begin != std::string::npos) {
    const auto from = begin + quoted.size();
    words = words.substr(from, words.find('\'', from) - from);
  }
  return words.empty() ? "no reason given" : words;
}

std::string_view class_words(H5T_class_t type) {
  switch (type) {
    case H5T_INTEGER: return "integers";
    case H5T_FLOAT: return "floating-point numbers";
    case H5T_STRING: return "text";
    case H5T_ENUM: return "an enumeration";
    case H5T_COMPOUND: return "records";
    case H5T_REFERENCE: return "references";
    case H5T_VLEN: return "lists";
    default: break;
  }
  return "something else";
}

void damaged(const std::string& file, std::string_view object, std::string_view reason) {
  throw DataError(fmt::format("{}: '{}' cannot be read: {}", file, object, reason));
}

void unwritten(const std::string& file, std::string_view object) {
  throw FileError(fmt::format("{}: {} cannot be written: {}", file, object, library_words()));
}

}  // namespace v1
}  // namespace harmonium
