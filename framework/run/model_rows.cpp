#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/file_loading.hpp>
#include <harmonium/framework/data/table_source.hpp>
#include <harmonium/framework/files/csv_names.hpp>
#include <harmonium/framework/run/classes_as_given.hpp>
#include <harmonium/framework/run/data_random.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/row_range.hpp>
#include <harmonium/framework/run/unseen_columns.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/framework/training/state_columns.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::shared_ptr<const Transform> load_transform(const std::filesystem::path& path) {
  return read_transform(Hdf5File::open(path));
}

namespace {

/// Samples of a CSV file's rows have a column for each class: takes all columns of the file, but for their energies. Returns
/// how many these are; 0 where nothing else was taken.
Index take_all_columns(Value& source) {
  const Value* type = source.find("type");
  if (!source.find("columns") || !type || !(*type == make_value("csv"))) return 0;
  std::vector<std::string> names = read_csv_names(std::get<std::string>(source.find("path")->data)).columns;
  if (names.size() > 1 && names.back() == "energy") names.pop_back();
  source.set("columns", list_of_words(names));
  source.erase("ignore");
  return names.size();
}

/// The rows of a [data] table. A file of samples has the labels as columns like the others, and one without labels has none
/// of them; a column of classes, which the run's own data had, is then named in vain.
Dataset rows_or_samples(const Value& source, const Layout& layout, const Registries& registries,
                        const RandomSource& random) {
  const auto load = [&](const Value& from) {
    Value effective;
    return registries.make<DataSource>(from, effective)->load(random).train;
  };
  const Value* column = source.find("label_column");
  if (!column || column->where.starts_with("--set")) return load(source);
  const Index observed = layout.columns(layout.observed());
  const Index labels = label_columns(layout);
  Value bare = source;
  for (const char* key : {"label_column", "num_classes", "classes"}) bare.erase(key);
  const auto fits = [&](const Dataset& data) {
    return data.cols() == observed || data.cols() + labels == observed ||
           !widths_of_states(data.cols(), layout).empty();
  };
  try {
    Dataset data = load(source);
    if (data.cols() + labels == observed || !widths_of_states(data.cols(), layout).empty()) return data;
    const Dataset without = load(bare);
    return fits(without) ? without : data;
  } catch (const ConfigError&) {
    Value all = bare;
    if (take_all_columns(all) == observed) return load(all);
    Dataset without = load(bare);
    if (!fits(without)) throw;
    return without;
  }
}

/// Rows under the transform that was fitted to those the model was trained on.
Dataset as_trained_on(const std::filesystem::path& path, Dataset data, const Layout& layout) {
  const std::shared_ptr<const Transform> transform = load_transform(path);
  if (!transform) return data;
  const bool with_labels = data.cols() == layout.columns(layout.observed());
  return data.with_transform(with_labels ? of_observed(transform, layout, path.string()) : transform);
}

/// The rows of a [data] table, transformed as those the model was trained on.
Dataset transformed_rows(const std::filesystem::path& path, const Value& spec, const Layout& layout,
                         const Registries& registries, const RandomSource& random) {
  Value own = without_transform(spec);  // what was fitted is stored
  const std::optional<RowRange> some = RowRange::take(own);
  const Value source = with_unseen_columns(own, registries);
  const auto load = [&](const Value& from) {
    Dataset all = rows_or_samples(from, layout, registries, random);
    return some ? some->of(all) : all;
  };
  return as_trained_on(path, with_classes_as_given(load(source), source, layout, load), layout);
}

}  // namespace

void check_complete(const Dataset& data) {
  if (data.has_missing())
    throw CapabilityError(
        fmt::format("{}: entries are missing, and only training, evaluate, draw and sample --clamp take such rows. "
                    "Give complete ones.",
                    data.name()));
}

Dataset load_rows(const std::filesystem::path& path, const Value& spec, const Layout& layout,
                  const Registries& registries, const RandomSource& random) {
  Dataset data = load_rows_with_holes(path, spec, layout, registries, random);
  check_complete(data);
  return data;
}

Dataset load_rows_with_holes(const std::filesystem::path& path, const Value& spec, const Layout& layout,
                             const Registries& registries, const RandomSource& random) {
  return fitted(transformed_rows(path, spec, layout, registries, random), layout);
}

namespace {

/// Without labels rows have the other observed columns alone.
Dataset fitted_in_part(const Dataset& data, const Layout& layout) {
  std::vector<Layer> others;
  for (const Layer& layer : layout.layers())
    if (layer.role == Role::observed && layer.name != label_layer) others.push_back(layer);
  if (!label_place(layout) || data.num_classes() > 0) return fitted(data, layout);
  const Layout without(others);
  const Index columns = data.cols();
  const bool unlabeled = columns == without.columns(without.all()) || !widths_of_states(columns, without).empty();
  return fitted(data, unlabeled ? without : layout);
}

}  // namespace

Dataset load_partial_rows(const std::filesystem::path& path, const Value& spec, const Layout& layout,
                          const Registries& registries, const RandomSource& random) {
  return fitted_in_part(transformed_rows(path, spec, layout, registries, random), layout);
}

Dataset partial_rows(const std::filesystem::path& path, const Dataset& data, const Layout& layout) {
  return fitted_in_part(as_trained_on(path, data, layout), layout);
}

DataSplits load_own_splits(const std::filesystem::path& path, const Value& config, const Layout& layout,
                           const Registries& registries) {
  Value effective;
  DataSplits splits = registries.make<DataSource>(*config.find("data"), effective)->load(data_random(config));
  check_same_data(path, splits.train.files());
  splits.train = fitted(splits.train, layout);
  for (std::optional<Dataset>* part : {&splits.validation, &splits.test}) {
    if (!*part) continue;
    check_same_data(path, (*part)->files());
    *part = fitted(**part, layout);
  }
  return splits;
}

std::shared_ptr<const Transform> of_observed(const std::shared_ptr<const Transform>& transform, const Layout& layout,
                                             const std::string& file) {
  const Index columns = layout.columns(layout.observed());
  const std::optional<Index> place = label_place(layout);
  const Index labels = label_columns(layout);
  if (transform->cols() + labels != columns)
    throw DataError(fmt::format("{}: its transform has {} columns, but its model observes {}", file, transform->cols(),
                                columns - labels));
  return labels > 0 ? transform->around(*place, labels) : transform;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
