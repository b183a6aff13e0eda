#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// By which names optimizer.factors of a run may call what it learns: the tensors of its model and those of its estimator, where that
/// can be made without the run, then their roles, some of them twice. Reads no data. Throws as making the model does.
std::vector<std::string> parameter_names(const TrainRequest& request, const Registries& builtin);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
