#include <harmonium/program/work/export_matrix.hpp>

#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/files/row_writer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

const ParameterBlock& couplings_within_a_layer(const EnergyModel& model, const std::string& path) {
  const std::vector<Index> found = couplings_within_layers(model);
  if (found.size() == 1) return model.parameter_layout()[found.front()];
  throw CapabilityError(fmt::format(
      "--output {}: a matrix is that of one tensor of couplings within a layer, and the model has {}. Name a "
      "folder for all tensors.",
      path, found.size()));
}

/// A matrix says nothing of units, and import takes its columns for spins.
void check_a_column_a_unit(const Layer& layer, const std::string& path) {
  if (layer.unit->width() == 1) return;
  throw CapabilityError(fmt::format(
      "--output {}: the units of layer '{}' are {}, of {} columns each, and 'harmonium import' would take a matrix of "
      "all {} columns for as many spins. Name a folder: it receives the couplings by units and states, for other "
      "programs. The model file keeps the model, and every command takes it.",
      path, layer.name, layer.unit->name(), layer.unit->width(), layer.columns()));
}

}  // namespace

std::vector<Index> couplings_within_layers(const EnergyModel& model) {
  const std::vector<ParameterBlock>& blocks = model.parameter_layout().blocks();
  std::vector<Index> found;
  for (Index k = 0; k < blocks.size(); ++k)
    if (blocks[k].role == ParameterRole::edges ||
        (blocks[k].role == ParameterRole::coupling && blocks[k].symmetry != Symmetry::none))
      found.push_back(k);
  return found;
}

void export_matrix(const EnergyModel& model, const std::string& path) {
  const ParameterBlock& block = couplings_within_a_layer(model, path);
  const Layer& layer = model.layout()[block.layers[0]];
  check_a_column_a_unit(layer, path);
  const Index columns = layer.columns();
  MemoryNeed need;
  need.add("the matrix", static_cast<double>(columns) * static_cast<double>(columns) * sizeof(double), "--output");
  need.check("export");
  Matrix<double> matrix = zeros<double>(columns, columns);
  const Real* const theta = model.parameters().data() + block.offset;
  if (block.role == ParameterRole::edges) {
    for (const Edge& e : *block.edges) matrix(e.a, e.b) = matrix(e.b, e.a) = static_cast<double>(theta[e.entry]);
  } else {
    for (Index r = 0; r < columns; ++r)
      for (Index c = 0; c < columns; ++c) matrix(r, c) = static_cast<double>(theta[r * columns + c]);
  }
  RowWriter<double> file(path, columns, columns);
  file.write(as_matrix(matrix));
  file.commit();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
