#pragma once

#include <harmonium/cli/terminal.hpp>
#include <harmonium/program/stack/stack_file.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace v1 {

/// Warns of settings of the command line of which a machine of the stack, or the training of all of them, has its own.
void tell_what_machines_set(const StackFile& file, const TrainRequest& request, Terminal& terminal);

}  // namespace v1
}  // namespace harmonium
