#pragma once

#include <concepts>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/files/atomic_file.hpp>

namespace harmonium {
inline namespace v1 {

/// Writes rows of numbers piece by piece, so that they need not be in memory together: as FILE.csv, with a line of names in
/// front where there are any, or as FILE.npy, a two-dimensional array of T. The file appears whole, at `commit`, or not at
/// all. Throws FileError.
template <std::floating_point T>
class RowWriter {
 public:
  /// `names`: one a column, or none; of FILE.npy they are left out.
  RowWriter(const std::filesystem::path& path, Index rows, Index cols, const std::vector<std::string>& names = {});

  /// The rows that follow; of CSV, `last` is one number more at the end of each, where it is not empty.
  void write(MatrixView<const T> rows, std::span<const double> last = {});
  void commit();

 private:
  bool csv_;
  AtomicFile file_;
};

/// Numbers as an .npy array of one dimension of float64. The file appears whole or not at all. Throws FileError.
void write_npy_vector(const std::filesystem::path& path, std::span<const double> values);

/// A text in quotation marks, those within it doubled.
std::string csv_quoted(std::string_view text);
/// The same where the text needs it, and the text itself where it does not.
std::string csv_word(const std::string& text);
/// "a,\"b, c\"": names as a line of CSV, each in quotation marks where it needs them.
std::string csv_line(const std::vector<std::string>& names);

}  // namespace v1
}  // namespace harmonium
