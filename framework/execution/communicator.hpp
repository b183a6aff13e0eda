#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// The processes that work on one run, their ranks counted from 0. Every function but `abort` is collective: all ranks call the
/// same ones in the same order, and none returns before what it needs of the others has come. Called from one thread only.
class Communicator {
 public:
  virtual ~Communicator();
  virtual Index rank() const = 0;
  virtual Index size() const = 0;
  /// Rank 0's bytes to all.
  virtual void broadcast(std::span<std::byte> bytes) = 0;
  /// At rank 0 the bytes of each rank, in the order of ranks; elsewhere nothing.
  virtual std::vector<std::vector<std::byte>> gather(std::span<const std::byte> own) = 0;
  /// `send` holds to[r] bytes for each rank r, one after another; `receive` gets from[r] bytes of each likewise.
  virtual void exchange(std::span<const std::byte> send, std::span<const Index> to, std::span<std::byte> receive,
                        std::span<const Index> from) = 0;
  /// `all` holds sizes[r] bytes of each rank r, one after another: each brings its own and gets the others'.
  virtual void share(std::span<std::byte> all, std::span<const Index> sizes) = 0;
  /// Ends all ranks at once, whatever they wait for.
  [[noreturn]] virtual void abort(int status) = 0;

  bool leads() const { return rank() == 0; }
};

/// One process: nothing is sent.
Communicator& single_process();

/// How the ranks fared with work that each has done by itself.
struct Agreement {
  int status = 0;       ///< the largest
  Index rank = 0;       ///< the first whose status is not 0
  std::string message;  ///< its own; at rank 0 only
};
/// Collective: each brings its status, 0 where all went well, and what it has to say.
Agreement agree(Communicator& ranks, int status, const std::string& message);

}  // namespace v1
}  // namespace harmonium
