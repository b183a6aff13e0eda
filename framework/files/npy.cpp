#include <harmonium/framework/files/npy.hpp>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/elements.hpp>
#include <harmonium/framework/files/npy_header.hpp>
#include <harmonium/framework/files/npy_start.hpp>
#include <harmonium/framework/files/npz.hpp>
#include <harmonium/framework/files/stream_reader.hpp>
#include <harmonium/framework/files/zip_archive.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

// From Fortran order, in which the first index runs fastest, to C order.
template <class T>
std::vector<T> transposed(const NumberArray<T>& from, const std::vector<Index>& shape) {
  std::vector<T> to(from.size());
  std::vector<Index> at(shape.size(), 0), stride(shape.size(), 1);
  for (std::size_t d = 1; d < shape.size(); ++d) stride[d] = stride[d - 1] * shape[d - 1];
  Index source = 0;
  for (T& value : to) {
    value = from[source];
    for (std::size_t d = shape.size(); d-- > 0;) {
      source += stride[d];
      if (++at[d] < shape[d]) break;
      source -= stride[d] * shape[d];
      at[d] = 0;
    }
  }
  return to;
}

template <class T>
void write(const std::filesystem::path& path, MatrixView<const T> values, std::string_view descr) {
  AtomicFile file(path);
  file.write(npy_start(fmt::format("'{}'", descr), fmt::format("({}, {})", values.rows, values.cols)));
  if (values.stride == values.cols) {
    file.write({reinterpret_cast<const char*>(values.data), values.rows * values.cols * sizeof(T)});
  } else {
    for (Index r = 0; r < values.rows; ++r)
      file.write({reinterpret_cast<const char*>(values.row(r)), values.cols * sizeof(T)});
  }
  file.commit();
}

static_assert(std::endian::native == std::endian::little, "write_npy declares little-endian numbers");

Table read_array(StreamReader& reader) {
  const NpyHeader header = read_npy_header(reader);
  if (header.text_width > 0) refuse_npy_type(reader.name(), header);
  Table table = read_elements(reader, header.shape, header.type, header.order);
  if (header.fortran_order && table.shape.size() > 1) {
    std::visit([&](auto& v) { v = transposed(v, table.shape); }, table.values);
  }
  return table;
}

}  // namespace

Table read_npy(const std::filesystem::path& path, const std::string& array) {
  if (is_zip_archive(path)) {
    StreamReader reader(path, find_npz_array(path, array));
    return read_array(reader);
  }
  if (!array.empty())
    throw ConfigError(fmt::format("[data] array is '{}', but {} is no archive of arrays (.npz). Leave it out.", array,
                                  path.string()));
  StreamReader reader(path);
  return read_array(reader);
}

void write_npy(const std::filesystem::path& path, MatrixView<const float> values) { write(path, values, "<f4"); }
void write_npy(const std::filesystem::path& path, MatrixView<const double> values) { write(path, values, "<f8"); }
void write_npy(const std::filesystem::path& path, MatrixView<const std::uint8_t> values) { write(path, values, "|u1"); }

}  // namespace v1
}  // namespace harmonium
