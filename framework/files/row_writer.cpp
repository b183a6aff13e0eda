#include <harmonium/framework/files/row_writer.hpp>

#include <iterator>

#include <fmt/format.h>

#include <harmonium/framework/files/npy_start.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::size_t gathered = std::size_t{1} << 20;  // bytes of text that are written together

}  // namespace

std::string csv_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_word(const std::string& text) {
  const bool bare = !text.empty() && text.find_first_of("\",; \t") == std::string::npos;
  return bare ? text : csv_quoted(text);
}

std::string csv_line(const std::vector<std::string>& names) {
  std::string line;
  for (const std::string& name : names) line += (&name == &names.front() ? "" : ",") + csv_word(name);
  return line + "\n";
}

template <std::floating_point T>
RowWriter<T>::RowWriter(const std::filesystem::path& path, Index rows, Index cols,
                        const std::vector<std::string>& names)
    : csv_(path.extension() == ".csv"), file_(path) {
  if (!csv_)
    file_.write(npy_start(sizeof(T) == sizeof(float) ? "'<f4'" : "'<f8'", fmt::format("({}, {})", rows, cols)));
  else if (!names.empty()) file_.write(csv_line(names));
}

template <std::floating_point T>
void RowWriter<T>::write(MatrixView<const T> rows, std::span<const double> last) {
  std::string text;
  for (Index r = 0; r < rows.rows; ++r) {
    if (!csv_) {
      file_.write({reinterpret_cast<const char*>(rows.row(r)), rows.cols * sizeof(T)});
      continue;
    }
    for (Index c = 0; c < rows.cols; ++c)
      fmt::format_to(std::back_inserter(text), "{}{}", rows(r, c), c + 1 < rows.cols || !last.empty() ? ',' : '\n');
    if (!last.empty()) fmt::format_to(std::back_inserter(text), "{}\n", last[r]);
    if (text.size() < gathered) continue;
    file_.write(text);
    text.clear();
  }
  file_.write(text);
}

template <std::floating_point T>
void RowWriter<T>::commit() {
  file_.commit();
}

template class RowWriter<float>;
template class RowWriter<double>;

void write_npy_vector(const std::filesystem::path& path, std::span<const double> values) {
  AtomicFile file(path);
  file.write(npy_start("'<f8'", fmt::format("({},)", values.size())));
  file.write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  file.commit();
}

}  // namespace v1
}  // namespace harmonium
