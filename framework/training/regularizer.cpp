#include <harmonium/framework/training/regularizer.hpp>

#include <algorithm>
#include <span>

#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// add(parameters, gradient) for parts of the parameters that decay.
template <class Add>
void for_each_decayed(const DecayOptions& options, const ParameterLayout& layout, const Executor& executor,
                      std::span<const Real> theta, std::span<Real> gradient, const Add& add) {
  constexpr Index piece = 1 << 16;
  for (const ParameterBlock& b : layout.blocks()) {
    const bool decayed = is_coupling(b) || (b.role == ParameterRole::bias && options.biases);
    if (!decayed || !b.learned) continue;
    executor.for_each_piece(b.size(), piece, [&](Index begin, Index end) {
      add(theta.subspan(b.offset + begin, end - begin), gradient.subspan(b.offset + begin, end - begin));
    });
  }
}

}  // namespace

Regularizer::~Regularizer() = default;

// The two entries of a symmetric pair are one parameter written twice, and both gradients are that parameter's.
void L2::add_gradient(std::span<const Real> theta, const ParameterLayout& layout, std::span<Real> gradient,
                      const Executor& executor) const {
  const auto strength = static_cast<Real>(options_.strength);
  for_each_decayed(options_, layout, executor, theta, gradient,
                   [&](std::span<const Real> x, std::span<Real> g) { in_place(g) += strength * as_xtensor(x); });
}

void L1::add_gradient(std::span<const Real> theta, const ParameterLayout& layout, std::span<Real> gradient,
                      const Executor& executor) const {
  const auto strength = static_cast<Real>(options_.strength);
  const auto slope = [&](Real sum, Real x) { return sum + (x > 0 ? strength : x < 0 ? -strength : Real{0}); };
  for_each_decayed(options_, layout, executor, theta, gradient,
                   [&](std::span<const Real> x, std::span<Real> g) { std::ranges::transform(g, x, g.begin(), slope); });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
