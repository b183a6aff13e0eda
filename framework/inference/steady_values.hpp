#pragma once

#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether all values are one number.
bool is_constant(const std::vector<double>& values);

/// Values as they are; but where they differ by no more than rounding does, the first of them throughout. States of one energy have
/// sums that differ in their last bits, which are no fluctuation: of them there is no autocorrelation time. `values` must outlive it.
class SteadyValues {
 public:
  explicit SteadyValues(const std::vector<double>& values);
  SteadyValues(const SteadyValues&) = delete;
  SteadyValues& operator=(const SteadyValues&) = delete;

  const std::vector<double>& get() const { return level_.empty() ? values_ : level_; }

 private:
  const std::vector<double>& values_;
  std::vector<double> level_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
