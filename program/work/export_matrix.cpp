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
  std::vector<const ParameterBlock*> found;
  for (const ParameterBlock& b : model.parameter_layout().blocks())
    if (b.role == ParameterRole::edges || (b.role == ParameterRole::coupling && b.symmetry != Symmetry::none))
      found.push_back(&b);
  if (found.size() == 1) return *found.front();
  throw CapabilityError(fmt::format(
      "--output {}: a matrix is that of one tensor of couplings within a layer, and the model has {}. Name a "
      "folder for all tensors.",
      path, found.size()));
}

}  // namespace

void export_matrix(const EnergyModel& model, const std::string& path) {
  const ParameterBlock& block = couplings_within_a_layer(model, path);
  const Index columns = model.layout()[block.layers[0]].columns();
  MemoryNeed need;
  need.add("the matrix", static_cast<double>(columns) * static_cast<double>(columns) * sizeof(double), "--output");
  need.check("export");
  Matrix<double> matrix = zeros<double>(columns, columns);
  const Real* const theta = model.parameters().data() + block.offset;
  if (block.role == ParameterRole::edges) {
    // Units of several columns are coupled state by state: x_iᵀ x_j.
    const Index width = model.layout()[block.layers[0]].unit->width();
    for (const Edge& e : *block.edges)
      for (Index s = 0; s < width; ++s)
        matrix(e.a * width + s, e.b * width + s) = matrix(e.b * width + s, e.a * width + s) =
            static_cast<double>(theta[e.entry]);
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
