#include <harmonium/program/work/export_arrays.hpp>

#include <cstdint>
#include <span>

#include <harmonium/framework/files/archived_config.hpp>
#include <harmonium/framework/files/npz_writer.hpp>
#include <harmonium/framework/run/tensor_names.hpp>
#include <harmonium/program/work/tensor_arrays.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void export_arrays(const EnergyModel& model, const std::vector<TransformArray>& transform, const std::string& config,
                   const std::string& path) {
  NpzWriter file;
  for (const ParameterBlock& block : model.parameter_layout().blocks()) {
    add_tensor_array<Real>(file, block.name, block, model.parameters());
    add_edge_pairs(file, block);
    if (!block.mask || block.role == ParameterRole::edges) continue;
    const Index shape[] = {block.rows, block.cols};
    file.add(mask_of(block), std::span<const std::uint8_t>(*block.mask), std::span<const Index>(shape, block.rank()));
  }
  for (const TransformArray& array : transform)
    file.add(array.name, std::span<const double>(array.values), std::span<const Index>(array.shape));
  file.add_text(archived_config_name, config);
  file.write(path);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
