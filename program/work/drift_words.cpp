#include <harmonium/program/work/drift_words.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// "-43.6" and "-7.6 ± 0.3": digits as of a standard error of two digits; without one, six of the number.
int decimals(double error) { return std::clamp(1 - static_cast<int>(std::floor(std::log10(error))), 0, 12); }

std::string number(double value, double error) {
  return error > 0.0 ? fmt::format("{:.{}f}", value, decimals(error)) : fmt::format("{:.6g}", value);
}

}  // namespace

std::optional<std::string> drift_words(const EnergyDrift& drift, const SampleRequest& request) {
  if (!drift.moves()) return {};
  const EnergyDrift::Look change = drift.change();
  std::vector<std::string> others;
  for (const char* other : {"parallel_tempering", "gibbs"})
    if (request.sampler != other) others.emplace_back(other);
  const bool tempers = request.sampler.find("temper") != std::string::npos;  // nothing else goes faster, as a rule
  const std::string or_other = tempers ? "" : fmt::format(" or another --sampler ({})", fmt::join(others, ", "));
  // What diagnose looks at has nothing held.
  const std::string how_many =
      request.clamp.empty()
          ? fmt::format(" 'harmonium diagnose {} --sampler {}{}' tells how many.", request.model, request.sampler,
                        request.beta == 1.0 ? "" : fmt::format(" --beta {:g}", request.beta))
          : "";
  return fmt::format(
      "The energy of the rows still moves: mean {} after {} steps, {} after {}, a change of {} ± {} of the same "
      "chains. "
      "They do not follow the model's law yet: give more --steps{}.{}",
      number(drift.before().mean, change.error), request.steps / 2, number(drift.after().mean, change.error),
      request.steps, number(change.mean, change.error), number(change.error, change.error), or_other, how_many);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
