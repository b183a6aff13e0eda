#include <harmonium/framework/training/regularizer.hpp>

#include <span>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

template <class Slope>
void add_slope(const DecayOptions& options, const ParameterLayout& layout, const Executor& executor,
               const Slope& slope) {
  constexpr Index piece = 1 << 16;
  for (const ParameterBlock& b : layout.blocks()) {
    const bool decayed = b.role == ParameterRole::coupling || (b.role == ParameterRole::bias && options.biases);
    if (!decayed || !b.learned) continue;
    executor.for_each_piece(b.size(), piece, [&](Index begin, Index end) {
      for (Index i = b.offset + begin; i < b.offset + end; ++i) slope(i);
    });
  }
}

}  // namespace

Regularizer::~Regularizer() = default;

// The two entries of a symmetric pair are one parameter written twice, and both gradients are that parameter's.
void L2::add_gradient(std::span<const Real> theta, const ParameterLayout& layout, std::span<Real> gradient,
                      const Executor& executor) const {
  const auto strength = static_cast<Real>(options_.strength);
  add_slope(options_, layout, executor, [&](Index i) { gradient[i] += strength * theta[i]; });
}

void L1::add_gradient(std::span<const Real> theta, const ParameterLayout& layout, std::span<Real> gradient,
                      const Executor& executor) const {
  const auto strength = static_cast<Real>(options_.strength);
  add_slope(options_, layout, executor, [&](Index i) {
    gradient[i] += theta[i] > 0 ? strength : theta[i] < 0 ? -strength : Real{0};
  });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
