#pragma once

#include <harmonium/framework/execution/display.hpp>
#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/execution/stream.hpp>

namespace harmonium {
inline namespace v1 {

/// Threads, randomness, and whom to tell how far long work is; handed down with each call and never stored.
struct Execution {
  const Executor& executor;
  RandomSource random;
  Display* display = nullptr;

  /// The same threads, and the words of the part called `name`.
  Execution part(std::string_view name) const { return {executor, random.child(name), display}; }
};

}  // namespace v1
}  // namespace harmonium
