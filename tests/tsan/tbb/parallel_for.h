#pragma once

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <tbb/task_arena.h>

namespace tbb {

struct simple_partitioner {};

/// body(i) for i in [begin, end); the first exception is thrown again. The threads take turns by number: a shared counter
/// would order their pieces, and the sanitizer would take that for synchronisation.
template <class Index, class Body>
void parallel_for(Index begin, Index end, const Body& body, const simple_partitioner& = {}) {
  const int threads = stand_in_threads;
  std::mutex mutex;
  std::exception_ptr first;
  const auto work = [&](int thread) {
    try {
      for (Index i = begin + static_cast<Index>(thread); i < end; i += static_cast<Index>(threads)) body(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(work, t);
  work(0);
  for (std::thread& other : others) other.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace tbb
