#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/execution/display.hpp>
#include <harmonium/framework/execution/ranks.hpp>

namespace harmonium {
inline namespace v1 {

/// What every command that runs a model takes.
struct CommonRequest {
  std::optional<std::uint64_t> seed;
  int threads = 0;                        ///< 0: all cores
  std::vector<std::string> set;           ///< KEY=VALUE
  std::vector<std::string> plugins = {};  ///< names or files
  Display* display = nullptr;
  const std::atomic<bool>* stop = nullptr;  ///< set by a signal: end at the next update, keeping everything
  Ranks* ranks = nullptr;                   ///< that share a run; null: this process alone
};

}  // namespace v1
}  // namespace harmonium
