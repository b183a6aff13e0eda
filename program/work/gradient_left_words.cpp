#include <harmonium/program/work/gradient_left_words.hpp>

#include <cmath>

#include <fmt/format.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

std::string times_words(double ratio) { return fmt::format("{:.{}g}", ratio, ratio < 100.0 ? 2 : 3); }

/// What the pseudo likelihood shows of parameters that are not at the optimum of the likelihood.
std::string words_of_stand_in(const GradientLeft& left) {
  std::string text =
      "the parameters are not at the optimum of the likelihood. The pseudo likelihood, which needs no sum over states, "
      "shows it: ";
  if (left.norm > left.chance)
    text +=
        fmt::format("its gradient is {} times what the chance of {} rows makes, and at that optimum no more than once",
                    times_words(left.ratio()), left.rows);
  // By how much is not said: one factor of all, most of which may be noise about 0, is not that of the strong ones.
  if (left.off_along())
    text +=
        fmt::format("{}it rises as all couplings and biases {} together, {:.0f} standard errors from level",
                    left.norm > left.chance ? "; " : "", left.along < 0.0 ? "grow" : "shrink", std::abs(left.along));
  return text +
         ". Train longer (--epochs), with more steps of the chains an update (estimator.gibbs_steps) or a smaller "
         "optimizer.learning_rate at the end (optimizer.schedule); estimator.type = \"pseudo_likelihood\" needs no "
         "chains.";
}

/// What the gradient of the objective itself shows of parameters that are not at its optimum.
std::string words_of_way_left(const GradientLeft& left) {
  const char* objective = left.of == Objective::likelihood ? "log likelihood" : "objective";
  const std::string how =
      left.distance
          ? fmt::format(
                "they are {} standard errors of {} rows from the optimum of the {} (root mean "
                "square; the farthest is {}, {} of its own), and below a third of one, none beyond one, once they have "
                "arrived",
                times_words(*left.distance), left.rows, objective, left.farthest_name, times_words(left.farthest))
          : fmt::format(
                "the gradient of the {} is {} times what the chance of {} rows alone makes, and "
                "falls well below half of that once they have arrived",
                objective, times_words(left.ratio()), left.rows);
  return fmt::format(
      "the parameters are still on their way: {}. Train longer (--epochs), or take a larger optimizer.learning_rate "
      "and "
      "let it fall (optimizer.schedule).",
      how);
}

}  // namespace

std::string words_of_gradient(const GradientLeft& left) {
  return left.of == Objective::stand_in ? words_of_stand_in(left) : words_of_way_left(left);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
