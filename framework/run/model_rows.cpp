#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/training/batches.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::shared_ptr<const Transform> load_transform(const std::filesystem::path& path) {
  return read_transform(Hdf5File::open(path));
}

namespace {

/// The rows of a [data] table, transformed as those the model was trained on.
Dataset transformed_rows(const std::filesystem::path& path, const Value& spec, const Layout& layout,
                         const Registries& registries, const RandomSource& random) {
  Value source = spec, effective;
  for (const char* key : transform_keys) source.erase(key);  // what was fitted is stored
  Dataset data = registries.make<DataSource>(source, effective)->load(random).train;
  // A file of samples has the labels as columns like the others, though the run's own had one column of classes.
  const Value* column = source.find("label_column");
  if (column && !column->where.starts_with("--set") && data.cols() + 1 == layout.columns(layout.observed())) {
    for (const char* key : {"label_column", "num_classes"}) source.erase(key);
    data = registries.make<DataSource>(source, effective)->load(random).train;
  }
  const std::shared_ptr<const Transform> transform = load_transform(path);
  if (!transform) return data;
  const bool with_labels = data.cols() == layout.columns(layout.observed());
  return data.with_transform(with_labels ? of_observed(transform, layout, path.string()) : transform);
}

}  // namespace

Dataset load_rows(const std::filesystem::path& path, const Value& spec, const Layout& layout,
                  const Registries& registries, const RandomSource& random) {
  Dataset data = load_rows_with_holes(path, spec, layout, registries, random);
  if (data.has_missing())
    throw CapabilityError(
        fmt::format("{}: entries are missing, and only training, evaluate and sample --clamp take such rows. Give "
                    "complete ones.",
                    data.name()));
  return data;
}

Dataset load_rows_with_holes(const std::filesystem::path& path, const Value& spec, const Layout& layout,
                             const Registries& registries, const RandomSource& random) {
  return fitted(transformed_rows(path, spec, layout, registries, random), layout);
}

Dataset load_partial_rows(const std::filesystem::path& path, const Value& spec, const Layout& layout,
                          const Registries& registries, const RandomSource& random) {
  Dataset data = transformed_rows(path, spec, layout, registries, random);
  if (!label_place(layout) || data.num_classes() > 0 || data.cols() == layout.columns(layout.observed()))
    return fitted(data, layout);
  std::vector<Layer> others;
  for (const Layer& layer : layout.layers())
    if (layer.role == Role::observed && layer.name != label_layer) others.push_back(layer);
  check_data(data, Layout(others));
  return data;
}

std::shared_ptr<const Transform> of_observed(const std::shared_ptr<const Transform>& transform, const Layout& layout,
                                             const std::string& file) {
  const Index columns = layout.columns(layout.observed());
  const std::optional<Index> place = label_place(layout);
  const Index labels = place ? layout[layout.find(label_layer)].columns() : 0;
  if (transform->cols() + labels != columns)
    throw DataError(fmt::format("{}: its transform has {} columns, but its model observes {}", file, transform->cols(),
                                columns - labels));
  return labels > 0 ? transform->around(*place, labels) : transform;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
