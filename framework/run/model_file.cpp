#include <harmonium/framework/run/model_file.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/sample_shape.hpp>
#include <harmonium/framework/files/sha256.hpp>
#include <harmonium/framework/run/provenance.hpp>
#include <harmonium/framework/training/batches.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

std::vector<Index> shape_of(const ParameterBlock& block) {
  if (block.rank() == 1) return {block.rows};
  return {block.rows, block.cols};
}

std::string text_of(const std::vector<Index>& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

constexpr const char* data_attribute = "data_sha256";

std::string checksums_of(const std::vector<DataFile>& files) {
  std::string sums;
  for (const DataFile& f : files) sums += f.sha256 + "  " + f.path + "\n";
  return sums;
}

}  // namespace

void write_tensors(Hdf5File& file, const std::string& group, const ParameterLayout& layout,
                   std::span<const double> values) {
  file.create_group(group);
  for (const ParameterBlock& b : layout.blocks()) {
    const std::vector<Index> shape = shape_of(b);
    file.write<double>(group + "/" + b.name, values.subspan(b.offset, b.size()), shape);
  }
}

namespace {

/// "mask.visible.hidden" of the tensor "weight.visible.hidden".
std::string mask_of(const ParameterBlock& block) { return "mask" + block.name.substr(block.name.find('.')); }

}  // namespace

namespace {

/// "visible: 4 binary, hidden: 3 binary; bias.visible (4), …": what a file's parameters must fit.
std::string anatomy(const EnergyModel& model) {
  std::string text;
  for (const Layer& layer : model.layout().layers())
    text += fmt::format("{}{}: {} {}{}", text.empty() ? "" : ", ", layer.name, layer.size, layer.unit->name(),
                        layer.unit->width() > 1 ? fmt::format(" of {} states", layer.unit->width()) : "");
  std::string tensors;
  for (const ParameterBlock& b : model.parameter_layout().blocks())
    tensors += fmt::format("{}{} {}", tensors.empty() ? "" : ", ", b.name, text_of(shape_of(b)));
  return text + "; " + tensors;
}

void check_made_from(const EnergyModel& model, const Value& config, const Registries& registries) {
  const Value* spec = config.find("model");
  if (!spec) throw ConfigError("save_model: the configuration has no table [model].");
  constexpr const char* own = sizeof(Real) == sizeof(float) ? "float32" : "float64";
  if (const std::string given = precision_of(config, "float32"); given != own)
    throw ConfigError(
        fmt::format("save_model: the configuration's precision is {}, and the model's {}. Set precision.", given, own));
  Value effective, bare = *spec;
  bare.erase("masks");  // the file has them
  const std::string made = anatomy(*registries.make<EnergyModel>(bare, effective)), is = anatomy(model);
  if (made != is)
    throw ConfigError(fmt::format(
        "save_model: the configuration makes another model than the one to be written. Its [model]: {}. The model: {}. "
        "Give the configuration that the model was made from.",
        made, is));
}

}  // namespace

void save_model(const std::filesystem::path& path, const EnergyModel& model, const Value& config,
                const Registries& registries, const ModelOrigin& origin, const StateArchive::Fields* state) {
  check_made_from(model, config, registries);
  write_model(path, model, config, origin, state);
}

void write_model(const std::filesystem::path& path, const EnergyModel& model, const Value& config,
                 const ModelOrigin& origin, const StateArchive::Fields* state) {
  {
    Hdf5File file = Hdf5File::create(path);  // appears whole, at close, or not at all
    file.write_attribute("format", "harmonium");
    file.write_attribute("format_version", model_format_version);
    file.write_attribute("config", write_toml(config));
    for (const auto& [name, value] : provenance()) file.write_attribute(name, value);
    if (!origin.plugins.empty()) file.write_attribute("plugins", origin.plugins);
    if (!origin.files.empty()) file.write_attribute(data_attribute, checksums_of(origin.files));
    if (origin.sample_shape.size() > 1)
      file.write_attribute(sample_shape_attribute, sample_shape_text(origin.sample_shape));
    const ParameterLayout& layout = model.parameter_layout();
    file.create_group("parameters");
    for (const ParameterBlock& b : layout.blocks()) {
      file.write<Real>("parameters/" + b.name, model.parameters().subspan(b.offset, b.size()), shape_of(b));
      if (b.mask) file.write<std::uint8_t>("parameters/" + mask_of(b), *b.mask, shape_of(b));
    }
    if (origin.transform) write_transform(file, *origin.transform);
    if (state) {
      file.create_group("state");
      for (const auto& entry : *state)
        std::visit(
            [&](const auto& values) {
              if (!values.empty()) file.write("state/" + entry.first, values);
            },
            entry.second);
    }
    std::error_code unwritable;  // an older file's checksum would refuse the new one, were the program killed between
    std::filesystem::remove(checksum_path(path), unwritable);
    file.close();
  }
  write_checksum(path);
}

namespace {

/// The masks that the file has, by the positions of their tensors.
std::map<Index, std::vector<std::uint8_t>> read_masks(const Hdf5File& file, const std::string& where,
                                                      const ParameterLayout& layout) {
  const std::vector<std::string> names = file.children("parameters");
  std::map<Index, std::vector<std::uint8_t>> masks;
  for (Index i = 0; i < layout.blocks().size(); ++i) {
    const ParameterBlock& b = layout[i];
    if (b.role != ParameterRole::coupling) continue;
    const std::string name = mask_of(b), dataset = "parameters/" + name;
    if (std::ranges::find(names, name) == names.end()) continue;
    if (const std::vector<Index> shape = file.shape(dataset); shape != shape_of(b))
      throw DataError(fmt::format("{}the mask '{}' has shape {}, but its tensor has {}", where, name, text_of(shape),
                                  text_of(shape_of(b))));
    masks[i] = file.read<std::uint8_t>(dataset).values;
  }
  return masks;
}

/// Sets the masks that the file has; a model that has others already, as of its configuration, must have the same.
void load_masks(const Hdf5File& file, const std::string& where, EnergyModel& model) {
  std::map<Index, std::vector<std::uint8_t>> masks = read_masks(file, where, model.parameter_layout());
  for (Index i = 0; i < model.parameter_layout().blocks().size(); ++i) {
    const ParameterBlock& b = model.parameter_layout()[i];
    const auto found = masks.find(i);
    if (found == masks.end() && b.mask)
      throw DataError(fmt::format("{}the mask '{}' is missing, which the configuration asks for", where, mask_of(b)));
    if (found == masks.end()) continue;
    if (b.mask && *b.mask != found->second)
      throw DataError(fmt::format("{}the mask '{}' is not that of the configuration's file", where, mask_of(b)));
    if (b.mask) continue;
    try {
      model.set_mask(i, std::move(found->second));
    } catch (const ConfigError& error) {
      throw DataError(where + error.what());
    }
  }
}

}  // namespace

std::map<Index, std::vector<std::uint8_t>> load_masks(const std::filesystem::path& path,
                                                      const ParameterLayout& layout) {
  return read_masks(Hdf5File::open(path), path.string() + ": ", layout);
}

void load_parameters(const std::filesystem::path& path, EnergyModel& model) {
  const Hdf5File file = Hdf5File::open(path);
  const std::string where = path.string() + ": ";
  if (!file.is_group("parameters")) throw DataError(where + "it has no group 'parameters'");
  load_masks(file, where, model);
  const ParameterLayout& layout = model.parameter_layout();
  std::set<std::string> left;
  for (const std::string& name : file.children("parameters")) left.insert(name);
  std::vector<Real> theta(layout.size());
  for (const ParameterBlock& b : layout.blocks()) {
    const std::string dataset = "parameters/" + b.name;
    if (left.erase(b.name) == 0)
      throw DataError(fmt::format("{}the tensor '{}' is missing: the model needs it with shape {}", where, b.name,
                                  text_of(shape_of(b))));
    if (const std::vector<Index> shape = file.shape(dataset); shape != shape_of(b))
      throw DataError(fmt::format("{}the tensor '{}' has shape {}, but the model needs {}", where, b.name,
                                  text_of(shape), text_of(shape_of(b))));
    const Hdf5Array<double> array = file.read<double>(dataset);
    for (Index i = 0; i < b.size(); ++i) {
      const auto value = static_cast<Real>(array.values[i]);
      if (!std::isfinite(value))
        throw DataError(fmt::format("{}the tensor '{}' holds {} at row {}, column {}", where, b.name, array.values[i],
                                    i / b.cols, i % b.cols));
      theta[b.offset + i] = value;
    }
  }
  for (const ParameterBlock& b : layout.blocks())
    if (b.mask) left.erase(mask_of(b));
  for (const std::string& name : left)
    throw DataError(fmt::format("{}the tensor '{}' belongs to no part of the model", where, name));
  try {
    model.update_parameters([&](std::span<Real> out) { std::copy(theta.begin(), theta.end(), out.begin()); });
  } catch (const NumericalError& error) {
    throw DataError(where + error.what());
  }
}

std::unique_ptr<EnergyModel> load_model(const std::filesystem::path& path, const ModelHeader& header,
                                        const Registries& registries) {
  std::unique_ptr<EnergyModel> model;
  try {
    Value effective, spec = *header.config.find("model");
    spec.erase("masks");  // files that are not needed again: the masks are stored
    model = registries.make<EnergyModel>(spec, effective);
  } catch (const ConfigError& error) {
    throw DataError(error.what());
  }
  load_parameters(path, *model);
  return model;
}

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
  Dataset data = transformed_rows(path, spec, layout, registries, random);
  if (data.has_missing())
    throw CapabilityError(
        fmt::format("{}: entries are missing, and only training and sample --clamp take such rows. Give complete ones.",
                    data.name()));
  return fitted(data, layout);
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

namespace {

constexpr int deepest_state = 32;

/// A vector of one of the types that a state has, as it is kept: nothing is converted.
StateArchive::Field read_field(const Hdf5File& file, const std::string& object) {
  const auto refuse = [&](const std::string& why) {
    throw DataError(fmt::format("{}: '{}' {}", file.name(), object, why));
  };
  if (!file.is_dataset(object)) refuse("is neither a group nor a dataset");
  if (const Index rank = file.shape(object).size(); rank != 1)
    refuse(fmt::format("has {} dimensions, and a field of a state has 1", rank));
  const std::optional<ElementType> type = file.element_type(object);
  if (type == ElementType::f64) return file.read<double>(object).values;
  if (type == ElementType::f32) return file.read<float>(object).values;
  if (type == ElementType::u8) return file.read<std::uint8_t>(object).values;
  if (type != ElementType::u64) refuse("is of another type than a state has (float64, float32, uint64 or uint8)");
  return file.read<std::uint64_t>(object).values;
}

}  // namespace

StateArchive::Fields load_state(const std::filesystem::path& path) {
  const Hdf5File file = Hdf5File::open(path);
  if (!file.is_group("state")) throw DataError(path.string() + ": a model, not a checkpoint: it has no group 'state'");
  StateArchive::Fields fields;
  const auto visit = [&](auto&& self, const std::string& group, const std::string& prefix, int depth) -> void {
    if (depth > deepest_state)
      throw DataError(
          fmt::format("{}: '{}' is a group within more than {} others", path.string(), group, deepest_state));
    for (const std::string& name : file.children(group)) {
      const std::string object = group + "/" + name, field = prefix + name;
      if (file.is_group(object)) self(self, object, field + "/", depth + 1);
      else fields[field] = read_field(file, object);
    }
  };
  visit(visit, "state", "", 0);
  return fields;
}

void check_same_data(const std::filesystem::path& path, const std::vector<DataFile>& files) {
  const Hdf5File file = Hdf5File::open(path);
  const std::string recorded = file.has_attribute(data_attribute) ? file.string_attribute(data_attribute) : "";
  for (const DataFile& f : files)
    if (recorded.find(checksums_of({f})) == std::string::npos)
      throw DataError(
          fmt::format("{}: the run began with other content of {} (its SHA-256 has changed). Put the old data "
                      "back, or start a new run.",
                      path.string(), f.path));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
