#pragma once

#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/run/experiment.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What the run does not measure, each with why (Experiment::unmeasured): of a log likelihood for which there are too many states to
/// enumerate, the setting that has it by variable elimination, where that is as quick as what a run does unasked at its end. Of more than
/// some thousand units it is not looked for, as finding an order of them takes long itself.
std::vector<std::pair<std::string, std::string>> told_unmeasured(const Experiment& experiment,
                                                                 const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
