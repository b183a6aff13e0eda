#include <harmonium/framework/files/hdf5_table.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/elements.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/mapped_file.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::size_t slab_bytes = std::size_t{1} << 24;
constexpr double most_exact_integer = 0x1p53;

// The dataset's shape, after it was found to be there, to hold numbers, and to declare no more than the file can hold.
std::vector<Index> check_dataset(const Hdf5File& file, const std::string& object, const char* option) {
  if (!file.is_dataset(object)) {
    std::vector<std::string> there;
    for (std::string name : file.children()) {
      if (file.is_group(name)) name += "/";
      there.push_back(std::move(name));
    }
    const auto one = std::ranges::find_if(there, [](const std::string& name) { return !name.ends_with('/'); });
    throw ConfigError(fmt::format(
        "{}: has no dataset '{}'. It has: {}. Set data.{}{}.", file.name(), object,
        there.empty() ? "nothing" : fmt::format("{}", fmt::join(there, ", ")), option,
        one == there.end() ? ""
                           : fmt::format(", or name it as in {}:{}={}",
                                         std::filesystem::path(file.name()).filename().string(), option, *one)));
  }
  const auto fail = [&](const std::string& problem) {
    throw DataError(fmt::format("{}: dataset '{}' {}", file.name(), object, problem));
  };
  if (!file.element_type(object)) fail("holds no plain numbers (integers of 8 to 64 bits or floats expected)");
  std::vector<Index> shape = file.shape(object);
  if (shape.empty()) fail("holds a single number (rows of numbers expected)");
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] == 0)
      fail(fmt::format("has no {} (its dimensions are {})", i == 0 ? "rows" : "columns", fmt::join(shape, " x ")));
  file.check_declared_size(object);
  return shape;
}

Index columns_of(const std::vector<Index>& shape) {
  Index cols = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) cols *= shape[i];
  return cols;
}

// visit(first, count) for slabs of rows that fit into a little memory.
template <class Visit>
void visit_slabs(const std::vector<Index>& shape, const Visit& visit) {
  const Index step = std::max<Index>(1, slab_bytes / sizeof(double) / columns_of(shape));
  for (Index first = 0; first < shape[0]; first += step) visit(first, std::min(step, shape[0] - first));
}

// Reads rows as `Stored` and keeps them as `Kept`; `check` is asked of each number.
template <class Stored, class Kept, class Check>
std::vector<Kept> read_as(const Hdf5File& file, const std::string& object, const std::vector<Index>& shape,
                          const Check& check) {
  const Index cols = columns_of(shape);
  std::vector<Kept> values(shape[0] * cols);
  if constexpr (std::is_same_v<Stored, Kept>) {
    visit_slabs(shape, [&](Index first, Index count) {
      file.read_rows(object, first, count, values.data() + first * cols);
      for (Index i = first * cols; i < (first + count) * cols; ++i) check(values[i], i);
    });
  } else {
    std::vector<Stored> slab;
    visit_slabs(shape, [&](Index first, Index count) {
      slab.resize(count * cols);
      file.read_rows(object, first, count, slab.data());
      for (Index i = 0; i < slab.size(); ++i) {
        check(slab[i], first * cols + i);
        values[first * cols + i] = static_cast<Kept>(slab[i]);
      }
    });
  }
  return values;
}

Table read_dataset(const Hdf5File& file, const std::string& object, const char* option) {
  Table table;
  table.shape = check_dataset(file, object, option);
  table.rows = table.shape[0];
  table.cols = columns_of(table.shape);
  const ElementType type = *file.element_type(object);
  const Index size = table.rows * table.cols;
  if (const auto place = file.place_in_file(object); place && *place % size_of(type) == 0) {
    std::shared_ptr<const MappedFile> mapped = MappedFile::open(file.name());
    if (mapped->size() >= *place + size * size_of(type)) {
      const unsigned char* at = mapped->data() + *place;
      if (type == ElementType::u8) table.values = NumberArray<std::uint8_t>(mapped, at, size);
      else if (type == ElementType::f32)
        table.values = NumberArray<float>(mapped, reinterpret_cast<const float*>(at), size);
      else table.values = NumberArray<double>(mapped, reinterpret_cast<const double*>(at), size);
      return table;
    }
  }
  const auto any = [](auto, Index) {};
  const auto exact = [&](auto v, Index at) {
    if (static_cast<double>(v) <= most_exact_integer && static_cast<double>(v) >= -most_exact_integer) return;
    throw DataError(
        fmt::format("{}: dataset '{}': row {}, column {} (both counted from 0): {} is beyond 2^53, more "
                    "than a double holds exactly",
                    file.name(), object, at / table.cols, at % table.cols, v));
  };
  switch (type) {
    case ElementType::u8:
    case ElementType::boolean:
      table.values = read_as<std::uint8_t, std::uint8_t>(file, object, table.shape, any);
      break;
    case ElementType::f32: table.values = read_as<float, float>(file, object, table.shape, any); break;
    case ElementType::i64: table.values = read_as<std::int64_t, double>(file, object, table.shape, exact); break;
    case ElementType::u64: table.values = read_as<std::uint64_t, double>(file, object, table.shape, exact); break;
    default: table.values = read_as<double, double>(file, object, table.shape, any); break;
  }
  return table;
}

bool has_labels(const Hdf5File& file, const Hdf5Names& names) {
  return !names.without_labels && (!names.labels.empty() || file.is_dataset("labels"));
}

std::string label_name(const Hdf5Names& names) { return names.labels.empty() ? "labels" : names.labels; }

}  // namespace

Hdf5Content read_hdf5(const std::filesystem::path& path, const Hdf5Names& names) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  // A child process reads what is wanted here, but what lies in one piece, which the library has no part in. A sound file
  // is read at 10 MB a second at the least.
  const double seconds = 10 + (error ? 0.0 : static_cast<double>(bytes) / 1e7);
  probe_hdf5(
      path,
      [&](const Hdf5File& file) {
        const auto look = [&](const std::string& object) {
          if (!file.is_dataset(object) || !file.element_type(object)) return;
          const std::vector<Index> shape = file.shape(object);
          if (shape.empty() || std::find(shape.begin(), shape.end(), Index{0}) != shape.end()) return;
          file.check_declared_size(object);
          if (file.place_in_file(object)) return;
          std::vector<double> slab;
          visit_slabs(shape, [&](Index first, Index count) {
            slab.resize(count * columns_of(shape));
            file.read_rows(object, first, count, slab.data());
          });
        };
        file.children();
        look(names.samples);
        if (has_labels(file, names)) look(label_name(names));
      },
      seconds);
  const Hdf5File file = Hdf5File::open(path);
  Hdf5Content content;
  content.table = read_dataset(file, names.samples, "samples");
  if (!has_labels(file, names)) return content;
  const Table labels = read_dataset(file, label_name(names), "label_dataset");
  if (labels.cols != 1)
    throw DataError(fmt::format("{}: dataset '{}' has {} columns (one class a row expected)", file.name(),
                                label_name(names), labels.cols));
  content.labels.emplace(labels.rows);
  for (Index r = 0; r < labels.rows; ++r) (*content.labels)[r] = labels.at(r, 0);
  return content;
}

}  // namespace v1
}  // namespace harmonium
