#include <harmonium/models/units/levels.hpp>

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double decimals = 1e9, largest_level = 1e6;

/// The quotient of two whole numbers is the double nearest to the decimal, which is what a file's "0.3" is read as.
std::vector<double> levels_of(const LevelsUnit::Options& options) {
  std::vector<double> levels;
  for (Index k = 0; k < options.num_states; ++k)
    levels.push_back(std::round((options.lowest() + options.step * static_cast<double>(k)) * decimals) / decimals +
                     0.0);  // no minus zero
  return levels;
}

}  // namespace

void LevelsUnit::Options::bind(OptionBinder& o) {
  o.option("num_states", num_states, "equally spaced values; 3 are -1, 0 and 1", within(3, 256));
  o.option("low", low, "the lowest one; -step (num_states - 1) / 2 unless given, as of a spin of that size", finite());
  o.option("step", step, "between two neighboring ones", within(1e-6, largest_level));
}

void LevelsUnit::Options::validate() const {
  const double high = lowest() + step * static_cast<double>(num_states - 1);
  if (std::abs(lowest()) <= largest_level && std::abs(high) <= largest_level) return;
  throw ConfigError(fmt::format("its values are {} to {}, and {} is the largest size of one. Take a smaller step.",
                                lowest(), high, largest_level));
}

LevelsUnit::LevelsUnit(Options options) : FiniteUnit(levels_of(options)), options_(options) {}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
