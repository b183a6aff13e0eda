#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/tensor_names.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
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

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
