#include <harmonium/framework/run/unseen_classes.hpp>

#include <limits>
#include <vector>

#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/training/fitted_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The same rows with columns of classes, which were not seen where `told` is null.
template <class Number>
Dataset with_columns_of(const std::vector<Index>* told, const Dataset& data, const Layout& layout) {
  const Index at = *label_place(layout), classes = label_columns(layout), columns = data.cols() + classes;
  MemoryNeed need;
  need.add_passing("the rows with columns of classes",
                   static_cast<double>(data.rows()) * static_cast<double>(columns) * (2.0 * sizeof(Number) + 1.0),
                   "--data");
  need.check("rows without classes");
  constexpr Number unseen = std::numeric_limits<Number>::quiet_NaN();
  std::vector<Number> values(data.rows() * columns, unseen), row(data.cols());
  std::vector<std::uint8_t> seen(data.cols(), 1);
  for (Index r = 0; r < data.rows(); ++r) {
    data.fetch<Number>(r, 0, {row.data(), 1, row.size(), row.size()});
    if (data.has_missing()) data.seen({&r, 1}, {seen.data(), 1, seen.size(), seen.size()});
    for (Index c = 0; c < row.size(); ++c)
      if (seen[c] != 0) values[r * columns + c + (c < at ? 0 : classes)] = row[c];
    for (Index k = 0; told && k < classes; ++k) values[r * columns + at + k] = k == (*told)[r] ? 1 : 0;
  }
  Table table{.rows = data.rows(), .cols = columns, .values = {}, .shape = {data.rows(), columns}};
  table.values = std::move(values);
  return Dataset(std::move(table), data.name(), {.missing = Missing::nan_columns}, {}, data.files());
}

Dataset with_columns(const std::vector<Index>* told, const Dataset& data, const Layout& layout) {
  // Single precision has bits and bytes as they are.
  return data.is_bytes() ? with_columns_of<float>(told, data, layout) : with_columns_of<double>(told, data, layout);
}

}  // namespace

Dataset with_unseen_classes(const Dataset& data, const Layout& layout) { return with_columns(nullptr, data, layout); }

Dataset with_class_columns(const Dataset& data, const Layout& layout, const std::vector<Index>& classes) {
  return with_columns(&classes, data, layout);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
