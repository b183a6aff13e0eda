#pragma once

#include <optional>
#include <vector>

#include <harmonium/program/stack/stack_file.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace v1 {

/// Builds the runs of all machines, so that a mistake is told before the first one starts: those above the first with a stand-in
/// for what will be passed up, where that follows from the configurations. Throws as `train` does, naming the machine.
/// `joint`: the training of all layers, where there is one.
void check_stack(const std::vector<Value>& configs, const std::optional<Value>& joint, const StackFile& stack,
                 const TrainRequest& request);

}  // namespace v1
}  // namespace harmonium
