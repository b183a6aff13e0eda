#pragma once

// A stand-in for oneTBB, found before it in builds under the thread sanitizer and in no other. Debian's library is not
// instrumented, so that the sanitizer cannot see how it synchronises and reports every loop. These few headers have what
// the Executor uses, on threads of the standard library: what is then reported is a race of ours.

#include <utility>

namespace tbb {

/// How many threads a loop on this thread may use.
inline thread_local int stand_in_threads = 1;

class task_arena {
 public:
  static constexpr int automatic = -1;
  explicit task_arena(int threads) : threads_(threads) {}
  int max_concurrency() const { return threads_; }

  template <class Body>
  auto execute(Body&& body) {
    struct Restore {
      int before = stand_in_threads;
      ~Restore() { stand_in_threads = before; }
    } restore;
    stand_in_threads = threads_;
    return std::forward<Body>(body)();
  }

 private:
  int threads_;
};

}  // namespace tbb
