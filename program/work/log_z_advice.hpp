#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include <harmonium/framework/inference/log_partition.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The options of a way to log Z that make it longer, as they were; absent where it has none.
struct LengthOfWay {
  std::optional<double> effort = {}, num_steps = {};
};

/// What an estimate took, in seconds of the clock, and the seed of its random numbers.
struct TimeTaken {
  double seconds = 0.0;
  std::uint64_t seed = 1;
};

/// Since it was made.
class TakenTime {
 public:
  TimeTaken of(std::uint64_t seed) const {
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(), seed};
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Which options may settle an estimate of `what` that is not agreed on, and how long each takes by the time that was taken: twice the
/// length, twice the time. Another seed is named first where two ways differ, as they do after a start that was unlucky, and last where
/// rows did not get around; not where too few count, which they would again. Empty where nothing of the kind helps.
std::string advice_on(const LogPartitionEstimate& found, const std::string& what, const LengthOfWay& length,
                      const TimeTaken& taken);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
