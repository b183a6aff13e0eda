#include <harmonium/framework/execution/executor.hpp>

#include <algorithm>
#include <mutex>
#include <vector>

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <harmonium/framework/execution/thread_limit.hpp>

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

struct Executor::Arena {
  explicit Arena(int count) : threads(count) {}
  tbb::task_arena threads;
};

Executor::Executor(int threads, const std::atomic<bool>* stop)
    : threads_(threads_to_be_had(threads > 0 ? threads : tbb::info::default_concurrency())), stop_(stop) {
  if (threads_ == 1) return;
  allow_threads(threads_);
  arena_ = std::make_unique<Arena>(threads_);
}

Executor::~Executor() = default;

void Executor::for_each_piece(Index n, Index grain, FunctionRef<void(Index, Index)> body) const {
  const Index pieces = grain == 0 ? 0 : (n + grain - 1) / grain;
  const auto run = [&](Index p) {
    check_stop();
    body(p * grain, std::min(n, (p + 1) * grain));
  };
  if (threads_ == 1 || pieces <= 1) {
    for (Index p = 0; p < pieces; ++p) run(p);
    return;
  }
  // One task a piece: pieces are large by choice, and merging them would leave threads idle.
  arena_->threads.execute([&] { tbb::parallel_for(Index{0}, pieces, run, tbb::simple_partitioner()); });
}

double Executor::sum_in_order(Index n, Index grain, FunctionRef<double(Index, Index)> partial) const {
  std::vector<double> sums(grain == 0 ? 0 : (n + grain - 1) / grain);
  for_each_piece(n, grain, [&](Index begin, Index end) { sums[begin / grain] = partial(begin, end); });
  double sum = 0.0;
  for (const double s : sums) sum += s;
  return sum;
}

}  // namespace v1
}  // namespace harmonium
