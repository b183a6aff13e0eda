#include <harmonium/framework/training/adam.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <xtensor/xmath.hpp>

#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void AdamOptions::bind(OptionBinder& o) {
  rate.bind(o, "step size, about the size of a parameter's move in one update");
  o.option("beta1", beta1, "decay of the gradient's moving average", within(0, 0.999999));
  o.option("beta2", beta2, "decay of the squared gradient's moving average", within(0, 0.999999));
  o.option("epsilon", epsilon, "added to the root of the second moment", more_than(0));
}

void Adam::step(std::span<Real> theta, std::span<const Real> gradient, const ParameterLayout& layout,
                const Progress& progress, const Executor& executor) {
  if (first_.empty()) {
    first_.assign(theta.size(), Real{0});
    second_.assign(theta.size(), Real{0});
  }
  const double t = static_cast<double>(++steps_);
  const double rate = options_.rate.rate(progress);
  const double correction1 = 1.0 - std::pow(options_.beta1, t), correction2 = 1.0 - std::pow(options_.beta2, t);
  const auto b1 = static_cast<Real>(options_.beta1), b2 = static_cast<Real>(options_.beta2);
  const auto epsilon = static_cast<Real>(options_.epsilon), root2 = static_cast<Real>(1.0 / std::sqrt(correction2));
  for_each_learned(layout, options_.rate.of_blocks(layout), executor, [&](Index begin, Index end, double factor) {
    const auto eta = static_cast<Real>(rate * factor / correction1);
    const auto part = [&](auto& all) { return std::span(all).subspan(begin, end - begin); };
    const auto g = as_xtensor(gradient.subspan(begin, end - begin));
    const auto first = as_xtensor(part(first_)), second = as_xtensor(part(second_));
    in_place(part(first_)) = b1 * first + (1 - b1) * g;
    in_place(part(second_)) = b2 * second + (1 - b2) * g * g;
    in_place(part(theta)) -= eta * first / (xt::sqrt(second) * root2 + epsilon);
  });
}

void Adam::step_sizes(std::span<Real> out, const ParameterLayout& layout, const Progress& progress,
                      const Executor& executor) const {
  std::ranges::fill(out, Real{0});
  if (second_.empty()) return;
  const double rate = options_.rate.rate(progress);
  const double correction2 = 1.0 - std::pow(options_.beta2, static_cast<double>(steps_));
  const auto epsilon = static_cast<Real>(options_.epsilon), root2 = static_cast<Real>(1.0 / std::sqrt(correction2));
  for_each_learned(layout, options_.rate.of_blocks(layout), executor, [&](Index begin, Index end, double factor) {
    const auto eta = static_cast<Real>(rate * factor);
    const auto second = as_xtensor(std::span(second_).subspan(begin, end - begin));
    in_place(out.subspan(begin, end - begin)) = eta / (xt::sqrt(second) * root2 + epsilon);
  });
}

void Adam::state(StateArchive& archive) {
  archive.field("steps", steps_);
  archive.late_field("first", first_, archive.sizes().moved);
  archive.late_field("second", second_, archive.sizes().moved);
  if (!archive.loading()) return;
  if (first_.empty() != second_.empty()) archive.refuse("second", "is not of the same updates as 'first'");
  for (const Real value : second_)
    if (value < 0) archive.refuse("second", fmt::format("holds {}, and a mean of squares is not negative", value));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
