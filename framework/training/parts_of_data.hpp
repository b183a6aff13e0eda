#pragma once

#include <algorithm>
#include <array>
#include <string>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/framework/training/observer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether a figure of every `every`-th epoch is taken after this one; never of 0.
inline bool due(Index every, std::uint64_t epoch) { return every > 0 && epoch % every == 0; }

/// Throws CapabilityError where rows have no likelihood.
inline void check_probability(const RunOutline& run, const char* who) {
  for (const Dataset* data : {run.data.train, run.data.validation, run.data.test})
    if (data && !has_probability(*data, run.model.layout()))
      throw CapabilityError(std::string("observer '") + who +
                            "': the data holds values between the units' states, which have no likelihood. Set "
                            "data.binarize.");
}

/// Whether entries of some part of the data are missing.
inline bool any_holes(const RunData& data) {
  return std::ranges::any_of(std::array{data.train, data.validation, data.test},
                             [](const Dataset* part) { return part && part->has_missing(); });
}

/// body(prefix, data) for the parts of the data that there are.
template <class Body>
void for_each_part(const RunData& data, const Body& body) {
  const auto part = [&](const char* prefix, const Dataset* rows) {
    if (rows) body(prefix, *rows);
  };
  part("", data.train);
  part("validation_", data.validation);
  part("test_", data.test);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
