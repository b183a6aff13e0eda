#pragma once

#include <atomic>
#include <string>

namespace harmonium {
inline namespace v1 {

/// From now on a signal that asks the program to end is heard. Returns whether one came while something was begun that
/// has to be ended in order; else it ends the program at once.
const std::atomic<bool>& hear_signals();
/// What a signal that ends the program leaves: told behind "stopped by a signal". At first it is "; no file was written.", and a command
/// that writes none, or has written what it was asked for, says so. For one thread.
void tell_on_stopping(const std::string& words);
/// "stopped by a signal", and what it leaves.
std::string stopped_in_words();
/// From now on they are not: of several processes that share a run the first hears for all, and one that has told its error is
/// not to tell that its launcher ends the rest.
void ignore_signals();

}  // namespace v1
}  // namespace harmonium
