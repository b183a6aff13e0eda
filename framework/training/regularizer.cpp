#include <harmonium/framework/training/regularizer.hpp>

#include <algorithm>
#include <cmath>
#include <span>

#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// body(begin, end) for parts of the parameters that decay.
template <class Body>
void for_each_decayed(const DecayOptions& options, const ParameterLayout& layout, const Executor& executor,
                      const Body& body) {
  constexpr Index piece = 1 << 16;
  for (const ParameterBlock& b : layout.blocks()) {
    const bool decayed = is_coupling(b) || (b.role == ParameterRole::bias && options.biases);
    if (!decayed || !b.learned) continue;
    executor.for_each_piece(b.size(), piece, [&](Index begin, Index end) { body(b.offset + begin, b.offset + end); });
  }
}

}  // namespace

Regularizer::~Regularizer() = default;

void Regularizer::shrink(std::span<Real>, const ParameterLayout&, std::span<const Real>, const Executor&) const {}

// The two entries of a symmetric pair are one parameter written twice, and both gradients are that parameter's.
void L2::add_gradient(std::span<const Real> theta, const ParameterLayout& layout, std::span<Real> gradient,
                      const Executor& executor) const {
  const auto strength = static_cast<Real>(options_.strength);
  for_each_decayed(options_, layout, executor, [&](Index begin, Index end) {
    in_place(gradient.subspan(begin, end - begin)) += strength * as_xtensor(theta.subspan(begin, end - begin));
  });
}

void L1::shrink(std::span<Real> theta, const ParameterLayout& layout, std::span<const Real> step_sizes,
                const Executor& executor) const {
  const auto strength = static_cast<Real>(options_.strength);
  for_each_decayed(options_, layout, executor, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Real left = std::abs(theta[i]) - step_sizes[i] * strength;
      theta[i] = left > 0 ? std::copysign(left, theta[i]) : Real{0};
    }
  });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
