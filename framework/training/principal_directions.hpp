#pragma once

#include <vector>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/execution/executor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The directions along which rows vary the most, about their mean (Pearson 1901; Hotelling 1933).
struct PrincipalDirections {
  Matrix<double> directions;  ///< columns × number, orthonormal; of each, the first of its large entries is above 0
  std::vector<double> deviation;  ///< of the rows along each, the largest first
};

constexpr Index most_principal_columns = 5000;  // their directions are found in a minute
constexpr Index most_principal_directions = 64;

/// Weights of rows count; of data whose bits are drawn anew in each epoch they are those of epoch 0. Throws ConfigError where the data
/// do not vary along so many directions, where the last of them varies as the next one does, so that either could be meant, or where
/// there are more than `most_principal_columns`.
PrincipalDirections principal_directions(const Dataset& data, Index number, const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
