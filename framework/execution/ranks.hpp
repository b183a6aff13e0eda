#pragma once

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/communicator.hpp>

namespace harmonium {
inline namespace v1 {

/// The processes that this program was started as, and how an error of one reaches the others.
struct Ranks {
  Communicator& all;
  /// Whether all ranks do the same: one that fails tells the others by `agree`, as they come to `meet`. While a run is under way
  /// they wait for what it was to bring, and an error ends all at once.
  bool together = true;
};

/// Another rank has failed; at rank 0 with its message.
class AnotherFailed final : public Error {
 public:
  using Error::Error;
  ~AnotherFailed() override;
};

/// Collective: returns where all ranks have come here, and throws AnotherFailed where one has failed on its way.
void meet(Ranks& ranks);

}  // namespace v1
}  // namespace harmonium
