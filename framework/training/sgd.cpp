#include <harmonium/framework/training/sgd.hpp>

#include <algorithm>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void SgdOptions::bind(OptionBinder& o) {
  rate.bind(o, "step size, for the gradient of the mean log likelihood in nats a sample");
  o.option("momentum", momentum, "part of the last step that is kept", within(0, 0.9999));
  static constexpr OptionBinder::Choice<Momentum> types[] = {{"classical", Momentum::classical},
                                                             {"nesterov", Momentum::nesterov}};
  o.choice("momentum_type", momentum_type, types, "where the gradient enters");
}

void SgdOptions::validate() const {
  if (momentum_type != Momentum::classical && momentum == 0.0)
    throw ConfigError("'momentum_type' says how momentum enters, but 'momentum' is 0. Set momentum, such as 0.5.");
}

void Sgd::step(std::span<Real> theta, std::span<const Real> gradient, const ParameterLayout& layout,
               const Progress& progress, const Executor& executor) {
  const double rate = options_.rate.rate(progress);
  const auto m = static_cast<Real>(options_.momentum);
  if (m > 0 && velocity_.empty()) velocity_.assign(theta.size(), Real{0});
  const bool nesterov = options_.momentum_type == SgdOptions::Momentum::nesterov;
  for_each_learned(layout, options_.rate.of_blocks(layout), executor, [&](Index begin, Index end, double factor) {
    const auto eta = static_cast<Real>(rate * factor);
    if (m == 0) {
      in_place(theta.subspan(begin, end - begin)) -= eta * as_xtensor(gradient.subspan(begin, end - begin));
      return;
    }
    Real *const x = theta.data(), *const v = velocity_.data();
    const Real* const g = gradient.data();
    for (Index i = begin; i < end; ++i) {  // one pass: the vectors are longer than caches
      v[i] = m * v[i] - eta * g[i];
      x[i] += nesterov ? m * v[i] - eta * g[i] : v[i];
    }
  });
}

void Sgd::step_sizes(std::span<Real> out, const ParameterLayout& layout, const Progress& progress,
                     const Executor&) const {
  // The velocity of a slope of 1 by now: Σ_k m^k η of k updates ago, so far as it is more than rounding.
  constexpr std::uint64_t most = 10000;
  const double m = options_.momentum;
  double velocity = 0.0, share = 1.0;
  for (std::uint64_t k = 0; k <= std::min(progress.update, most) && share > 1e-12; ++k, share *= m) {
    Progress then = progress;
    then.update -= k;
    velocity += share * options_.rate.rate(then);
  }
  if (options_.momentum_type == SgdOptions::Momentum::nesterov) velocity = m * velocity + options_.rate.rate(progress);
  const std::vector<double> factors = options_.rate.of_blocks(layout);
  for (Index k = 0; k < factors.size(); ++k)
    std::ranges::fill(out.subspan(layout[k].offset, layout[k].size()), static_cast<Real>(velocity * factors[k]));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
