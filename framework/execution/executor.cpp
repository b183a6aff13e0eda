#include <harmonium/framework/execution/executor.hpp>

#include <mutex>

#include <tbb/global_control.h>
#include <tbb/info.h>

namespace harmonium {
inline namespace v1 {
namespace {

/// TBB never runs more threads than the machine has cores unless told: somebody who asks for more gets them.
void allow_threads(int threads) {
  static std::mutex mutex;
  static std::unique_ptr<tbb::global_control> control;
  static int allowed = tbb::info::default_concurrency();
  const std::lock_guard lock(mutex);
  if (threads <= allowed) return;
  control.reset();
  control = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  static_cast<std::size_t>(threads));
  allowed = threads;
}

}  // namespace

Executor::Executor(int threads, const std::atomic<bool>* stop)
    : threads_(threads > 0 ? threads : tbb::info::default_concurrency()), stop_(stop) {
  if (threads_ == 1) return;
  allow_threads(threads_);
  arena_ = std::make_unique<tbb::task_arena>(threads_);
}

Executor::~Executor() = default;

}  // namespace v1
}  // namespace harmonium
