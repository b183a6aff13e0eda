#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// Runs independent pieces of work on at most `threads` threads. Pieces are cut at multiples of `grain`, never by the
/// number of threads: what a piece computes is the same on 1 thread and on 64.
class Executor {
 public:
  /// `threads` = 0: as many as the machine has cores. `stop`, where given, is set by whoever wants long work to end.
  explicit Executor(int threads = 0, const std::atomic<bool>* stop = nullptr);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  int threads() const { return threads_; }

  /// Throws Stopped once `stop` is set. Work that takes long and changes nothing until it is done asks between pieces.
  void check_stop() const {
    if (stop_ && stop_->load(std::memory_order_relaxed)) throw Stopped();
  }

  /// body(begin, end) for each piece; the first exception of a piece is thrown again here. `stop` is looked at before each.
  template <class Body>
  void for_each_piece(Index n, Index grain, const Body& body) const {
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
    arena_->execute([&] { tbb::parallel_for(Index{0}, pieces, run, tbb::simple_partitioner()); });
  }

  /// Σ partial(begin, end) over the pieces, added in the order of the pieces.
  template <class Partial>
  double sum_in_order(Index n, Index grain, const Partial& partial) const {
    std::vector<double> sums(grain == 0 ? 0 : (n + grain - 1) / grain);
    for_each_piece(n, grain, [&](Index begin, Index end) { sums[begin / grain] = partial(begin, end); });
    double sum = 0.0;
    for (const double s : sums) sum += s;
    return sum;
  }

 private:
  int threads_;
  const std::atomic<bool>* stop_;
  std::unique_ptr<tbb::task_arena> arena_;
};

}  // namespace v1
}  // namespace harmonium
