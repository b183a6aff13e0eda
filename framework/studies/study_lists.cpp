#include <harmonium/framework/studies/study_lists.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

template <class T>
void refuse_repeated(const std::vector<T>& values, const char* name) {
  for (auto a = values.begin(); a != values.end(); ++a)
    if (std::find(values.begin(), a, *a) != a)
      throw ConfigError(fmt::format("'{}' holds {} twice, and the study takes each once. Remove one.", name, *a));
}

}  // namespace

void refuse_twice(const std::vector<std::string>& values, const char* name) { refuse_repeated(values, name); }
void refuse_twice(const std::vector<double>& values, const char* name) { refuse_repeated(values, name); }

void refuse_empty(Index entries, const char* name) {
  if (entries == 0) throw ConfigError(fmt::format("'{}' is empty, which leaves nothing to study.", name));
}

void refuse_fractions(const std::vector<double>& values, const char* name, double min, double max, const char* why) {
  for (const double v : values)
    if (v != std::floor(v) || v < min || v > max)
      throw ConfigError(fmt::format("'{}' holds {:g}, and whole numbers from {:.0f} to {:.0f} are expected{}.", name, v,
                                    min, max, why));
}

void refuse_last_seed(std::uint64_t first, Index num_seeds) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (first > most - (num_seeds - 1))
    throw ConfigError(fmt::format(
        "'seed' is {}, and with 'num_seeds' {} the last seed would be beyond {}, the largest. Lower 'seed'.", first,
        num_seeds, most));
}

}  // namespace v1
}  // namespace harmonium
