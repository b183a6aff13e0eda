#pragma once

#include <memory>
#include <optional>
#include <string>

#include <harmonium/framework/execution/ranks.hpp>

namespace harmonium {
inline namespace v1 {

/// The processes that a launcher such as mpirun has started this program as. They find each other by a library of its own, which is
/// loaded then alone: lib/harmonium/harmonium_mpi.so.
class RankGroup {
 public:
  /// Throws ConfigError where a launcher has started several and they cannot find each other.
  void join();
  /// Null: there is one.
  Ranks* ranks() { return ranks_ ? &*ranks_ : nullptr; }
  bool leads() const { return !ranks_ || ranks_->all.leads(); }
  /// Ends with an error: what this rank returns. One message is shown for all that fail alike.
  int fail(const std::string& message, int status);
  /// As `fail`, of what another rank has told.
  int fail(const AnotherFailed& error) const;

 private:
  std::unique_ptr<Communicator> all_;
  std::optional<Ranks> ranks_;
  bool silent_ = false;  ///< another speaks for this one
};

}  // namespace v1
}  // namespace harmonium
