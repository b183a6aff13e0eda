#include <harmonium/framework/execution/thread_limit.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/resource.h>

namespace harmonium {
inline namespace v1 {
namespace {

std::ptrdiff_t threads_now() {
  std::error_code error;
  const std::filesystem::directory_iterator tasks("/proc/self/task", error);
  return error ? 0 : std::distance(begin(tasks), end(tasks));
}

/// A thread that was joined may count for the system's limits a moment longer.
void wait_until_gone(std::ptrdiff_t before) {
  constexpr int longest = 1000;  // milliseconds
  for (int i = 0; i < longest && threads_now() > before; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

bool memory_is_limited() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// How many threads beside this one exist at once where `wanted` are asked for.
int make_threads(int wanted) {
  const std::ptrdiff_t before = threads_now();
  std::mutex mutex;
  std::condition_variable ended;
  bool end = false;
  std::vector<std::thread> made;
  made.reserve(static_cast<std::size_t>(wanted));
  try {
    for (int i = 0; i < wanted; ++i)
      made.emplace_back([&] {
        // A thread that asks for memory is given a heap, which takes more of a limit than its stack.
        void* volatile const asked = std::malloc(1);  // nothing where there is none, and that is well
        std::free(asked);
        std::unique_lock lock(mutex);
        ended.wait(lock, [&] { return end; });
      });
  } catch (const std::system_error&) {
  }
  {
    const std::lock_guard lock(mutex);
    end = true;
  }
  ended.notify_all();
  for (std::thread& thread : made) thread.join();
  wait_until_gone(before);
  return static_cast<int>(made.size());
}

}  // namespace

int threads_to_be_had(int wanted) {
  // What a limit leaves is not ours alone: reading an HDF5 file takes a process for a moment, gnuplot another, and other
  // programs of the same user may begin meanwhile.
  constexpr int spare = 2;
  static std::mutex mutex;
  static int known = 1, min_refused = 0;  // 0: none was refused
  const std::lock_guard lock(mutex);
  if (wanted <= known || (min_refused > 0 && wanted >= min_refused)) return std::min(wanted, known);
  int made = make_threads(wanted - 1);
  if (made == wanted - 1) return known = wanted;
  min_refused = wanted;
  // Threads up to a limit on memory would leave none for the work.
  if (memory_is_limited()) made /= 2;
  return known = std::max(known, 1 + std::max(0, made - spare));
}

}  // namespace v1
}  // namespace harmonium
