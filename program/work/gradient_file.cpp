#include <harmonium/program/work/gradient_file.hpp>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/program/work/tensor_arrays.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

void write_gradient_archive(const std::string& path, const ParameterLayout& layout, const GradientArrays& arrays) {
  NpzWriter file;
  for (const ParameterBlock& block : layout.blocks()) {
    add_tensor_array<double>(file, block.name, block, arrays.mean);
    add_edge_pairs(file, block);
    if (!arrays.variance.empty()) add_tensor_array<double>(file, "variance." + block.name, block, arrays.variance);
    if (arrays.against) add_tensor_array<double>(file, "against." + block.name, block, *arrays.against);
  }
  file.write(path);
}

}  // namespace

void check_gradient_file(const std::string& path) {
  if (!path.ends_with(".h5") && !path.ends_with(".npz"))
    throw ConfigError(
        fmt::format("--output {}: gradients are written as .h5 or .npz. Give a name that ends so.", path));
}

void write_gradient(const std::string& path, const ParameterLayout& layout, const GradientArrays& arrays) {
  if (path.ends_with(".npz")) {
    write_gradient_archive(path, layout, arrays);
    return;
  }
  Hdf5File file = Hdf5File::create(path);
  write_tensors(file, "gradient", layout, arrays.mean);
  if (!arrays.variance.empty()) write_tensors(file, "variance", layout, arrays.variance);
  if (arrays.against) write_tensors(file, "against", layout, *arrays.against);
  file.close();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
