#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// An archive of arrays, which numpy.load reads: FILE.npz, its members as numpy.savez writes them. The same arrays make the same
/// bytes. It is held in memory until it is written.
class NpzWriter {
 public:
  /// Adds an array in C order, of a product of `shape` numbers.
  void add(const std::string& name, std::span<const float> values, std::span<const Index> shape);
  void add(const std::string& name, std::span<const double> values, std::span<const Index> shape);
  void add(const std::string& name, std::span<const std::uint8_t> values, std::span<const Index> shape);
  void add(const std::string& name, std::span<const std::int64_t> values, std::span<const Index> shape);
  /// Adds one text, in UTF-8, as an array without axes of dtype '<U…', which str(a[name]) is in Python.
  void add_text(const std::string& name, std::string_view text);
  /// Writes the file, whole or not at all. Throws FileError.
  void write(const std::filesystem::path& path) const;

 private:
  std::list<std::pair<std::string, std::string>> members_;  ///< name and bytes
};

}  // namespace v1
}  // namespace harmonium
