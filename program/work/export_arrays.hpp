#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/program/work/exported_transform.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Writes all tensors of a model to FILE.npz, an array each, called like the tensor, in the model's precision: biases with one axis,
/// couplings with two. Masks are arrays of 0 and 1 beside theirs; of a list of edges NAME has a value an edge, and NAME.pairs the units of
/// each, counted from 0. `transform` stands beside them, and `config`, the text that says what the model is (archived_config_name).
void export_arrays(const EnergyModel& model, const std::vector<TransformArray>& transform, const std::string& config,
                   const std::string& path);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
