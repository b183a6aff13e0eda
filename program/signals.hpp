#pragma once

#include <atomic>

namespace harmonium {
inline namespace v1 {

/// From now on a signal that asks the program to end is heard. Returns whether one came while something was begun that
/// has to be ended in order; else it ends the program at once.
const std::atomic<bool>& hear_signals();
/// From now on they are not: of several processes that share a run the first hears for all, and one that has told its error is
/// not to tell that its launcher ends the rest.
void ignore_signals();

}  // namespace v1
}  // namespace harmonium
