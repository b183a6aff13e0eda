#pragma once

#include <string>

#include <harmonium/cli/terminal.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace v1 {

/// What the rows of a run are, where it is a machine of a stack above the first: "hidden states of machine 1"; empty: data.
std::string rows_of_machine(const std::string& folder);
/// Makes `request` that of going on with the run in `folder`. Returns its configuration's path.
std::string resumed(const std::string& folder, TrainRequest& request);
/// Trains what `request` has, and says where the model is unless `quiet`. Returns the exit status.
int train(TrainRequest& request, Terminal& terminal, bool quiet, bool tell_stop = true);
/// Reads the configuration at `path`, trains, and says where the model is unless `quiet`. Returns the exit status. `asked`: what stands before
/// the folder of a run to go on with on the command line.
int run_training(const std::string& path, TrainRequest& request, bool quiet, Terminal& terminal, const char* asked = "",
                 bool tell_stop = true);

}  // namespace v1
}  // namespace harmonium
