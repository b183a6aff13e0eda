#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace v1 {

/// What trains all machines at once in the end: fine-tuning of the stack, or the training of a deep Boltzmann machine; at most one.
struct LastTraining {
  std::optional<Value> fine_tuning;
  std::vector<Value> joint;  ///< phase by phase
};

/// Builds the runs of all machines, so that a mistake is told before the first one starts: those above the first with a stand-in
/// for what will be passed up, where that follows from the configurations, and then that of the last training, where there is one.
/// Throws as `train` does, naming the machine. Returns a sentence on each machine of which it does not.
std::vector<std::string> check_stack(const std::vector<Value>& configs, const LastTraining& last,
                                     const TrainRequest& request);

}  // namespace v1
}  // namespace harmonium
