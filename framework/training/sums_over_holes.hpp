#pragma once

#include <string>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/training/observer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What an observer throws when it is begun that would serve the run but for the holes in its rows: the run can do without it.
class HolesRefused final : public Error {
 public:
  explicit HolesRefused(const std::string& what) : Error(what, 2) {}
  ~HolesRefused() override;
};

/// Of sums over what rows lack that take so many `operations`. Throws HolesRefused where these are infinite: there is no such sum.
void check_summable(double operations, const EnergyModel& model, const char* who);
/// Adds what such sums hold, where rows have holes.
void memory_of_holes(const RunOutline& run, MemoryNeed& need);
/// Operations of figures of rows that may take this long in an epoch whatever the training takes: some milliseconds.
inline constexpr double always_allowed_of_rows = 1e7;

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
