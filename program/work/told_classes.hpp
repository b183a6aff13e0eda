#pragma once

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Rows without classes, as the model observes them: each of the class that is the most probable given the rest of it,
/// arg max p(y | x) (Larochelle & Bengio 2008). Of a model that tells classes (offers_classification).
Dataset with_told_classes(const EnergyModel& model, const Dataset& data, const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
