#include <harmonium/framework/inference/product_law.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index product_grain = 4096;

/// x of a state.
double level_of_state(Index states, Index state) {
  return static_cast<double>(state) - 0.5 * static_cast<double>(states - 1);
}

/// Calls f with the numbers of the states at one site, `stride` apart, all else being the same.
template <class F>
void for_each_site_group(std::vector<double>& numbers, Index states, Index stride, const Executor& executor,
                         const F& f) {
  executor.for_each_piece(numbers.size() / states, product_grain, [&](Index begin, Index end) {
    std::vector<double> work(states);
    for (Index group = begin; group < end; ++group)
      f(numbers.data() + group / stride * stride * states + group % stride, work);
  });
}

/// At one site, from x and −x to their orthonormal sum, in the place of the upper one, and difference, in that of the lower one.
void to_sums_and_differences(std::vector<double>& law, Index states, Index stride, const Executor& executor) {
  for_each_site_group(law, states, stride, executor, [&](double* first, std::vector<double>&) {
    for (Index a = 0; a < states / 2; ++a) {
      double &lower = first[a * stride], &upper = first[(states - 1 - a) * stride];
      const double sum = upper + lower, difference = upper - lower;
      upper = sum / std::numbers::sqrt2;
      lower = difference / std::numbers::sqrt2;
    }
  });
}

/// e^{iθxx'} between these, without the i of the differences: states × states.
std::vector<double> matrix_of_phases(Index states, double angle) {
  const Index half = states / 2;
  const auto weight = [&](Index a) { return level_of_state(states, a) == 0.0 ? 1.0 : std::numbers::sqrt2; };
  std::vector<double> matrix(states * states, 0.0);
  for (Index a = 0; a < states; ++a)
    for (Index b = 0; b < states; ++b) {
      const double phase = angle * level_of_state(states, a) * level_of_state(states, b);
      if (a >= half && b >= half) matrix[a * states + b] = weight(a) * weight(b) * std::cos(phase);
      else if (a < half && b < half) matrix[a * states + b] = 2.0 * std::sin(phase);
    }
  return matrix;
}

void multiply_at_site(std::vector<double>& numbers, Index states, Index stride, const std::vector<double>& matrix,
                      const Executor& executor) {
  const Index half = states / 2;
  for_each_site_group(numbers, states, stride, executor, [&](double* first, std::vector<double>& old) {
    for (Index a = 0; a < states; ++a) old[a] = first[a * stride];
    for (Index a = 0; a < states; ++a) {
      double sum = 0.0;
      for (Index b = a < half ? 0 : half; b < (a < half ? half : states); ++b) sum += matrix[a * states + b] * old[b];
      first[a * stride] = sum;
    }
  });
}

/// Of each joint state how many of its sites are differences, modulo 4: the power of i.
std::vector<std::uint8_t> powers_of_i(Index size, Index states, const Executor& executor) {
  std::vector<std::uint8_t> powers(size);
  executor.for_each_piece(size, product_grain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      Index differences = 0;
      for (Index rest = i, site = 1; site < size; site *= states, rest /= states)
        differences += rest % states < states / 2 ? 1 : 0;
      powers[i] = static_cast<std::uint8_t>(differences % 4);
    }
  });
  return powers;
}

std::complex<double> sum_with_powers(const std::vector<double>& a, const std::vector<double>& b,
                                     const std::vector<std::uint8_t>& powers, const Executor& executor) {
  const auto part = [&](std::uint8_t odd) {
    return executor.sum_in_order(a.size(), product_grain, [&](Index begin, Index end) {
      double sum = 0.0;
      for (Index i = begin; i < end; ++i)
        if ((powers[i] & 1u) == odd) sum += powers[i] < 2 ? a[i] * b[i] : -a[i] * b[i];
      return sum;
    });
  };
  return {part(0), part(1)};
}

}  // namespace

ProductLevels::ProductLevels(Index states, Index sites)
    : first(-static_cast<double>(sites) * level_of_state(states, states - 1) * level_of_state(states, states - 1)),
      step(states % 2 == 1 ? 1.0 : 0.5),
      count(static_cast<Index>(std::lround(-2.0 * first / step)) + 1) {}

double product_law_operations(Index states, Index sites) {
  const auto p = static_cast<double>(states), n = static_cast<double>(sites);
  return 0.25 * static_cast<double>(ProductLevels(states, sites).count) * n * p * std::pow(p, n);
}

std::vector<double> product_law(std::vector<double> law, Index states, Index sites, const Executor& executor) {
  const ProductLevels levels(states, sites);
  const auto count = static_cast<double>(levels.count);
  Index stride = 1;
  for (Index u = 0; u < sites; ++u, stride *= states) to_sums_and_differences(law, states, stride, executor);
  const std::vector<std::uint8_t> powers = powers_of_i(law.size(), states, executor);
  std::vector<double> found(levels.count, 1.0 / count);  // φ(0) = 1
  std::vector<double> turned;
  for (Index t = 1; 2 * t <= levels.count; ++t) {
    const std::vector<double> matrix =
        matrix_of_phases(states, 2.0 * std::numbers::pi * static_cast<double>(t) / count / levels.step);
    turned = law;
    stride = 1;
    for (Index u = 0; u < sites; ++u, stride *= states) multiply_at_site(turned, states, stride, matrix, executor);
    const std::complex<double> phi = sum_with_powers(law, turned, powers, executor);
    const double share = (2 * t == levels.count ? 1.0 : 2.0) / count;  // with its conjugate at −t
    for (Index k = 0; k < levels.count; ++k) {
      // e^{−iθ (first + k step)}, by whole numbers modulo a turn
      const Index halves = (t * (levels.count - 1) + 2 * levels.count * t - 2 * t * k) % (2 * levels.count);
      found[k] += share * (phi * std::polar(1.0, std::numbers::pi * static_cast<double>(halves) / count)).real();
    }
  }
  for (double& p : found) p = std::max(p, 0.0);  // what rounding leaves of nothing
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
