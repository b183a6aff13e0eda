#pragma once

#include <atomic>
#include <memory>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/function_ref.hpp>
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
  void for_each_piece(Index n, Index grain, FunctionRef<void(Index begin, Index end)> body) const;

  /// Σ partial(begin, end) over the pieces, added in the order of the pieces.
  double sum_in_order(Index n, Index grain, FunctionRef<double(Index begin, Index end)> partial) const;

 private:
  int threads_;
  const std::atomic<bool>* stop_;
  struct Arena;  // the threads: oneTBB's, known to executor.cpp alone
  std::unique_ptr<Arena> arena_;
};

}  // namespace v1
}  // namespace harmonium
