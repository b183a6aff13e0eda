#pragma once

#include <string>
#include <string_view>

#include <hdf5.h>

namespace harmonium {
inline namespace v1 {

// What the sources of Hdf5File share; the only header that shows the library.

/// A handle of the library, closed at the end of its scope.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  // NOLINTNEXTLINE(google-explicit-constructor): so that a handle goes where HDF5 wants one
  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// The library's own words for its last failure: the innermost of its stack, or the system's where it quotes them.
std::string library_words();

/// "integers", "text" …
std::string_view class_words(H5T_class_t type);

/// Throws DataError: "FILE: 'OBJECT' cannot be read: REASON".
[[noreturn]] void damaged(const std::string& file, std::string_view object, std::string_view reason);

/// Throws FileError with the library's words.
[[noreturn]] void unwritten(const std::string& file, std::string_view object);

}  // namespace v1
}  // namespace harmonium
