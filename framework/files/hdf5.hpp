#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/files/elements.hpp>

namespace harmonium {
inline namespace v1 {

/// A dataset: numbers in row-major order, and its dimensions; a scalar has none.
template <class T>
struct Hdf5Array {
  std::vector<Index> shape;
  std::vector<T> values;
};

/// One open HDF5 file. Objects are named by their path from the root, "parameters/bias.visible"; the root is "/".
/// Reading throws DataError where the content is not what was asked for; writing throws FileError (disk full). No size
/// is believed before it was compared with the file's. Not for concurrent use: no two of these, either, at one time.
///
/// The library itself may crash or hang on a damaged file: call `probe_hdf5` before opening one.
class Hdf5File {
 public:
  /// Read only. FileError where it cannot be read, DataError where it is no HDF5 file.
  static Hdf5File open(const std::filesystem::path& path);
  /// A new file, in memory until `close` puts it on disk, whole or not at all (see AtomicFile): the library itself
  /// crashes on a full disk. Equal contents give equal bytes: no times are kept.
  static Hdf5File create(const std::filesystem::path& path);
  /// A new file that was not closed is forgotten.
  ~Hdf5File();
  Hdf5File(Hdf5File&&) noexcept;
  Hdf5File& operator=(Hdf5File&&) noexcept;

  /// The path, for messages.
  const std::string& name() const { return name_; }
  /// Puts a new file on disk, replacing one of that name, and closes; the object is then empty. FileError.
  void close();

  bool exists(const std::string& object) const;
  bool is_group(const std::string& object) const;
  bool is_dataset(const std::string& object) const;
  /// Names of a group's members, sorted bytewise.
  std::vector<std::string> children(const std::string& group = "/") const;
  /// Also the groups above it. One that exists is left as it is.
  void create_group(const std::string& group);

  bool has_attribute(const std::string& name, const std::string& object = "/") const;
  std::vector<std::string> attributes(const std::string& object = "/") const;
  /// Fixed or variable length, ASCII or UTF-8, scalar or an array of one element.
  std::string string_attribute(const std::string& name, const std::string& object = "/") const;
  /// An integer of any width, scalar or an array of one element.
  std::int64_t integer_attribute(const std::string& name, const std::string& object = "/") const;
  /// Written as a scalar of variable length, UTF-8; replaces one of that name.
  void write_attribute(const std::string& name, const std::string& value, const std::string& object = "/");
  void write_attribute(const std::string& name, const char* value, const std::string& object = "/") {
    write_attribute(name, std::string(value), object);
  }
  void write_attribute(const std::string& name, std::int64_t value, const std::string& object = "/");

  std::vector<Index> shape(const std::string& dataset) const;
  /// Whether the file holds it as integers, truth values included; as integers or floating-point numbers.
  bool is_integer(const std::string& dataset) const;
  bool is_numeric(const std::string& dataset) const;
  /// Bytes of one element, as the file holds it.
  Index element_bytes(const std::string& dataset) const;
  /// T: double, float, std::uint8_t, std::int64_t, std::uint64_t. Floats and integers of any width are converted to
  /// double and float; an integer type refuses floats, and integers it cannot hold. At most 8 dimensions.
  template <class T>
  Hdf5Array<T> read(const std::string& dataset) const;

  /// Rows [first, first + count) along the first dimension, into `out`; converted as the library does, without the checks
  /// of `read`. T: double, float, std::uint8_t, std::int64_t, std::uint64_t.
  template <class T>
  void read_rows(const std::string& dataset, Index first, Index count, T* out) const;
  /// How a table's reader sees it; nothing where it holds no numbers.
  std::optional<ElementType> element_type(const std::string& dataset) const;
  /// Where in the file the values lie, in one piece and as this machine keeps them; nothing where they do not.
  std::optional<std::uint64_t> place_in_file(const std::string& dataset) const;
  /// Throws DataError where the dataset declares more than the file can hold, or keeps its values in other files.
  void check_declared_size(const std::string& dataset) const;

  /// T: double, float, std::uint8_t, std::int64_t, std::uint64_t. `values.size()` is the product of `shape`; an empty
  /// shape writes a scalar. Groups above it are created; a name that exists is refused (std::logic_error).
  template <class T>
  void write(const std::string& dataset, std::span<const T> values, std::span<const Index> shape);
  template <class T>
  void write(const std::string& dataset, const std::vector<T>& values) {
    const Index size = values.size();
    write<T>(dataset, std::span<const T>(values), std::span<const Index>(&size, 1));
  }
  template <class T>
  void write(const std::string& dataset, const std::vector<T>& values, const std::vector<Index>& shape) {
    write<T>(dataset, std::span<const T>(values), std::span<const Index>(shape));
  }

 private:
  Hdf5File(std::string name, std::int64_t id, std::uint64_t bytes) : name_(std::move(name)), id_(id), bytes_(bytes) {}

  std::string name_;
  std::int64_t id_ = -1;     // the library's handle (hid_t)
  std::uint64_t bytes_ = 0;  // size of a file opened for reading; of a new one, the largest number
};

/// Reads every attribute and every dataset of numbers once. Throws DataError where something is damaged.
void read_everything(const Hdf5File& file);

/// Whether a regular file begins as HDF5 files do; false where it is none, or cannot be read.
bool is_hdf5(const std::filesystem::path& path);

/// Makes a file safe to open: where the checksum beside it matches, that suffices; where there is none, everything in
/// it is read in a child process first, so that a damaged file is an error and never a crash or a hang. Throws
/// DataError (also after `seconds` of processor time, rounded up), FileError where it cannot be read (also after 30 times as many of the
/// clock).
void probe_hdf5(const std::filesystem::path& path, double seconds = 10);
/// The same with `reading` in place of reading everything: what the caller is going to do with the file.
void probe_hdf5(const std::filesystem::path& path, const std::function<void(const Hdf5File&)>& reading, double seconds);

}  // namespace v1
}  // namespace harmonium
