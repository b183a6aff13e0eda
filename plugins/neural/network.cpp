#include "network.hpp"

#include <cmath>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

Jet operator*(const Jet& a, const Jet& b) {
  return {a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[0] * b[2] + a[1] * b[1] + a[2] * b[0]};
}

void add(Jet& sum, double factor, const Jet& term) {
  for (int k = 0; k < 3; ++k) sum[k] += factor * term[k];
}

/// With t = tanh z₀ and s = 1 − t²: t, s z₁, s z₂ − t s z₁².
Jet tanh_of(const Jet& z) {
  const double t = std::tanh(z[0]), s = 1.0 - t * t;
  return {t, s * z[1], s * z[2] - t * s * z[1] * z[1]};
}

/// tanh′ = 1 − a² where a = tanh.
Jet slope_of(const Jet& a) {
  const Jet square = a * a;
  return {1.0 - square[0], -square[1], -square[2]};
}

}  // namespace

Network::Network(std::vector<Index> sizes) : sizes_(std::move(sizes)) {
  for (Index l = 0; l + 1 < sizes_.size(); ++l) {
    weights_.push_back(output_);
    output_ += sizes_[l] * sizes_[l + 1];
    biases_.push_back(output_);
    output_ += sizes_[l + 1];
  }
}

Jet Network::evaluate(std::span<const double> theta, std::span<const double> x, std::span<const double> direction,
                      std::span<Jet> input, Coefficients parameters) const {
  const Index layers = weights_.size();
  std::vector<std::vector<Jet>> a(layers + 1);
  for (Index j = 0; j < x.size(); ++j) a[0].push_back({x[j], direction.empty() ? 0.0 : direction[j], 0.0});
  for (Index l = 0; l < layers; ++l) {
    a[l + 1].resize(sizes_[l + 1]);
    for (Index i = 0; i < sizes_[l + 1]; ++i) {
      const double* w = &theta[weights_[l] + i * sizes_[l]];
      Jet z{theta[biases_[l] + i], 0.0, 0.0};
      for (Index j = 0; j < sizes_[l]; ++j) add(z, w[j], a[l][j]);
      a[l + 1][i] = tanh_of(z);
    }
  }
  Jet f{};
  for (Index i = 0; i < sizes_.back(); ++i) add(f, theta[output_ + i], a[layers][i]);

  const auto collect = [&](Index at, const Jet& derivative) {
    for (int k = 0; k < 3; ++k)
      if (!parameters[k].empty()) parameters[k][at] += derivative[k];
  };
  const bool wanted = !input.empty() || !parameters[0].empty() || !parameters[1].empty() || !parameters[2].empty();
  if (!wanted) return f;
  std::vector<Jet> delta(sizes_.back());  // ∂f/∂a of a layer, then of the one below
  for (Index i = 0; i < delta.size(); ++i) {
    delta[i] = {theta[output_ + i], 0.0, 0.0};
    collect(output_ + i, a[layers][i]);
  }
  for (Index l = layers; l-- > 0;) {
    std::vector<Jet> below(sizes_[l], Jet{});
    for (Index i = 0; i < sizes_[l + 1]; ++i) {
      const Jet of_z = delta[i] * slope_of(a[l + 1][i]);
      collect(biases_[l] + i, of_z);
      for (Index j = 0; j < sizes_[l]; ++j) {
        const Index at = weights_[l] + i * sizes_[l] + j;
        collect(at, of_z * a[l][j]);
        add(below[j], theta[at], of_z);
      }
    }
    delta = std::move(below);
  }
  for (Index j = 0; j < input.size(); ++j) add(input[j], 1.0, delta[j]);
  return f;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
