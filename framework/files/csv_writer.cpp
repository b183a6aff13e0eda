#include <iterator>
#include <string>

#include <fmt/format.h>

#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/csv.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

template <class T>
void write(const std::filesystem::path& path, MatrixView<const T> values) {
  constexpr std::size_t enough = std::size_t{1} << 20;
  AtomicFile file(path);
  std::string text;
  for (Index r = 0; r < values.rows; ++r) {
    for (Index c = 0; c < values.cols; ++c)
      fmt::format_to(std::back_inserter(text), "{}{}", values(r, c), c + 1 < values.cols ? ',' : '\n');
    if (text.size() < enough) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
  file.commit();
}

}  // namespace

void write_csv(const std::filesystem::path& path, MatrixView<const float> values) { write(path, values); }
void write_csv(const std::filesystem::path& path, MatrixView<const double> values) { write(path, values); }

}  // namespace v1
}  // namespace harmonium
