#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/model/parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What `gradient` writes: of each tensor an estimate, how one estimate varies, and what it is compared with.
struct GradientArrays {
  const std::vector<double>& mean;
  const std::vector<double>& variance;  ///< empty: there is none
  const std::optional<std::vector<double>>& against;
};

/// Throws ConfigError where the name of the file is none that gradients are written to.
void check_gradient_file(const std::string& path);

/// Writes FILE.h5, with the groups `gradient`, `variance` and `against`, or FILE.npz, with arrays of the names and shapes that export gives
/// a model's tensors: NAME of the estimate, variance.NAME and against.NAME. All are in double. Throws FileError.
void write_gradient(const std::string& path, const ParameterLayout& layout, const GradientArrays& arrays);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
