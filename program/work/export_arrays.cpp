#include <harmonium/program/work/export_arrays.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include <harmonium/framework/files/archived_config.hpp>
#include <harmonium/framework/files/npz_writer.hpp>
#include <harmonium/framework/run/tensor_names.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

void add_edges(NpzWriter& file, const ParameterBlock& block, const Real* theta) {
  std::vector<Real> values;
  std::vector<std::int64_t> pairs;
  for (const Edge& e : *block.edges) {
    values.push_back(theta[block.offset + e.entry]);
    pairs.push_back(static_cast<std::int64_t>(e.a));
    pairs.push_back(static_cast<std::int64_t>(e.b));
  }
  const Index count[] = {values.size()}, two[] = {values.size(), 2};
  file.add(block.name, std::span<const Real>(values), count);
  file.add(block.name + ".pairs", std::span<const std::int64_t>(pairs), two);
}

}  // namespace

void export_arrays(const EnergyModel& model, const std::vector<TransformArray>& transform, const std::string& config,
                   const std::string& path) {
  NpzWriter file;
  const Real* const theta = model.parameters().data();
  for (const ParameterBlock& block : model.parameter_layout().blocks()) {
    if (block.role == ParameterRole::edges) {
      add_edges(file, block, theta);
      continue;
    }
    const Index shape[] = {block.rows, block.cols};
    const std::span<const Index> axes(shape, block.rank());
    file.add(block.name, std::span<const Real>(theta + block.offset, block.size()), axes);
    if (block.mask) file.add(mask_of(block), std::span<const std::uint8_t>(*block.mask), axes);
  }
  for (const TransformArray& array : transform)
    file.add(array.name, std::span<const double>(array.values), std::span<const Index>(array.shape));
  file.add_text(archived_config_name, config);
  file.write(path);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
