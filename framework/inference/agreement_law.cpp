#include <harmonium/framework/inference/agreement_law.hpp>

#include <algorithm>
#include <cmath>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index agreement_grain = 4096;

/// At one site: from states to the orthonormal basis (1, …, 1)/√p, and (1, …, 1, −r, 0, …)/√(r (r + 1)) for r = 1 … p − 1.
void change_basis(std::vector<double>& law, Index states, Index stride, const Executor& executor) {
  executor.for_each_piece(law.size() / states, agreement_grain, [&](Index begin, Index end) {
    for (Index group = begin; group < end; ++group) {
      double* const first = law.data() + group / stride * stride * states + group % stride;
      double sum = *first;
      for (Index r = 1; r < states; ++r) {
        double& own = first[r * stride];
        const auto before = static_cast<double>(r);
        const double difference = (sum - before * own) / std::sqrt(before * (before + 1.0));
        sum += own;
        own = difference;
      }
      *first = sum / std::sqrt(static_cast<double>(states));
    }
  });
}

/// The squares of the coefficients, by the number of sites whose factor is not constant.
std::vector<double> squares_by_degree(const std::vector<double>& coefficients, Index states, Index sites,
                                      const Executor& executor) {
  const Index width = sites + 1, pieces = (coefficients.size() + agreement_grain - 1) / agreement_grain;
  std::vector<double> parts(pieces * width, 0.0), all(width, 0.0);
  executor.for_each_piece(coefficients.size(), agreement_grain, [&](Index begin, Index end) {
    double* const own = parts.data() + begin / agreement_grain * width;
    for (Index i = begin; i < end; ++i) {
      Index degree = 0;
      for (Index rest = i; rest > 0; rest /= states) degree += rest % states != 0 ? 1 : 0;
      own[degree] += coefficients[i] * coefficients[i];
    }
  });
  for (Index p = 0; p < pieces; ++p)
    for (Index k = 0; k < width; ++k) all[k] += parts[p * width + k];
  return all;
}

/// The coefficients of (z − 1)^degree (z + p − 1)^(sites − degree): whole numbers, exact as long as p^sites is below 2^53.
std::vector<double> agreement_polynomial(Index states, Index sites, Index degree) {
  std::vector<double> z(sites + 1, 0.0);
  z[0] = 1.0;
  for (Index factor = 0; factor < sites; ++factor) {
    const double constant = factor < degree ? -1.0 : static_cast<double>(states) - 1.0;
    for (Index k = factor + 1; k > 0; --k) z[k] = z[k - 1] + constant * z[k];
    z[0] *= constant;
  }
  return z;
}

}  // namespace

std::vector<double> agreement_law(std::vector<double> law, Index states, Index sites, const Executor& executor) {
  Index stride = 1;
  for (Index u = 0; u < sites; ++u, stride *= states) change_basis(law, states, stride, executor);
  const std::vector<double> squares = squares_by_degree(law, states, sites, executor);
  std::vector<double> agreeing(sites + 1, 0.0);
  for (Index degree = 0; degree <= sites; ++degree) {
    const std::vector<double> polynomial = agreement_polynomial(states, sites, degree);
    for (Index k = 0; k <= sites; ++k) agreeing[k] += squares[degree] * polynomial[k];
  }
  for (double& p : agreeing) p = std::max(p, 0.0);  // what rounding leaves of nothing
  return agreeing;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
