#include <harmonium/program/paired/draws_between.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/diagnostics/two_digits.hpp>

namespace harmonium {
inline namespace v1 {

namespace {

/// How to have enough of them (RatioOfDraws::enough); empty where more draws are never enough.
std::string more_draws(const DrawsBetween& found) {
  constexpr double least_share = 0.06, enough_to_be_safe = 60.0;
  const double share = found.counting / static_cast<double>(found.draws);
  if (!(share >= least_share)) return "";
  return fmt::format("More draws are had by --log-z ais --set log_z.num_chains={:.0f}; or ",
                     up_to_two_digits(enough_to_be_safe / share));
}

}  // namespace

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
  const std::string more = more_draws(told);
  return fmt::format(
      "{} of two independent estimates: between the models {}{:.0f} of {} draws count, and {:.0f} are needed for an "
      "estimate of the {}. {}ompare each with a model C that lies between the two (--against C) and add the "
      "differences, or give more --effort, for closer estimates of each.",
      several ? "The differences are those" : "The difference is that", several ? "at most " : "", counting, told.draws,
      std::ceil(told.needed), several ? "differences themselves" : "difference itself",
      more.empty() ? "C" : more + "c");
}

}  // namespace v1
}  // namespace harmonium
