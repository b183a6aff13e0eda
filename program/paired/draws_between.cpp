#include <harmonium/program/paired/draws_between.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {

std::string words_on_draws(const std::vector<DrawsBetween>& found) {
  const bool several = found.size() > 1, ratio = found.front().enough();
  const auto share = [](const DrawsBetween& d) { return d.counting / static_cast<double>(d.draws); };
  const DrawsBetween& told =
      ratio ? *std::ranges::min_element(found, {}, share) : *std::ranges::max_element(found, {}, share);
  // Down, so that what is too few never looks like enough.
  const double counting = std::floor(told.counting);
  if (ratio)
    return fmt::format("{} of draws of both models, of which {:.0f} of {}{} count, and not {} of the two estimates.",
                       several ? "The differences are acceptance ratios" : "The difference is the acceptance ratio",
                       counting, told.draws, several ? " or more" : "", several ? "those" : "that");
  return fmt::format(
      "{} of two independent estimates: between the models {}{:.0f} of {} draws count, and {:.0f} are needed for an "
      "estimate of the {}. Compare each with a model C that lies between the two (--against C) and add the "
      "differences, "
      "or give more --effort, for closer estimates of each.",
      several ? "The differences are those" : "The difference is that", several ? "at most " : "", counting, told.draws,
      std::ceil(told.needed), several ? "differences themselves" : "difference itself");
}

}  // namespace v1
}  // namespace harmonium
