#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/free_parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Attributes of the file that are described by themselves.
bool described_elsewhere(const std::string& attribute) {
  static const std::string own[] = {"config", "format", sample_shape_attribute, column_names_attribute};
  return std::ranges::find(own, attribute) != std::end(own);
}

void read_attributes(ModelDescription& found) {
  const Hdf5File file = Hdf5File::open(found.file);
  found.checkpoint = file.is_group("state");
  for (const std::string& name : file.attributes()) {
    if (described_elsewhere(name)) continue;
    try {
      found.provenance.emplace_back(name, file.string_attribute(name));
    } catch (const DataError&) {
      found.provenance.emplace_back(name, fmt::format("{}", file.integer_attribute(name)));
    }
  }
}

DescribedTensor described(const ParameterBlock& block, const Layout& layout, std::span<const Real> theta) {
  DescribedTensor tensor{block.name, std::string(name_of(block.role)), {block.rows}};
  if (block.rank() == 2) tensor.shape.push_back(block.cols);
  double sum = 0.0, squares = 0.0;
  for_each_free(block, layout, [&](Index i) {
    const auto value = static_cast<double>(theta[i]);
    tensor.min = tensor.free_entries == 0 ? value : std::min(tensor.min, value);
    tensor.max = tensor.free_entries == 0 ? value : std::max(tensor.max, value);
    sum += value;
    squares += value * value;
    ++tensor.free_entries;
  });
  tensor.norm = std::sqrt(squares);
  if (tensor.free_entries > 0) tensor.mean = sum / static_cast<double>(tensor.free_entries);
  return tensor;
}

}  // namespace

ModelDescription describe_model(const DescribeModelRequest& request, const Registries& builtin) {
  const ModelHeader header = read_model_header(request.model);
  const Registries registries = with_plugins(builtin, request, header);
  const std::unique_ptr<EnergyModel> model = load_model(request.model, header, registries);
  ModelDescription found;
  found.file = request.model;
  found.precision = header.precision;
  found.formula = model->formula();
  found.config = write_toml(header.config);
  found.sample_shape.assign(header.sample_shape.begin(), header.sample_shape.end());
  found.columns = header.column_names;
  for (const Layer& layer : model->layout().layers())
    found.layers.push_back(
        {layer.name, write_toml_value(layer.unit->configuration()), layer.size, layer.role == Role::observed});
  for (const ParameterBlock& block : model->parameter_layout().blocks()) {
    found.tensors.push_back(described(block, model->layout(), model->parameters()));
    found.num_parameters += found.tensors.back().free_entries;
  }
  read_attributes(found);
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
