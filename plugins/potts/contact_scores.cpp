#include "contact_scores.hpp"

#include <cmath>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::vector<double> zero_sum(ConstMatrixRef coupling) {
  const Index q = coupling.rows;
  const auto states = static_cast<double>(q);
  std::vector<double> row(q), column(q), result(q * q);
  double all = 0.0;
  for (Index a = 0; a < q; ++a) {
    for (Index b = 0; b < q; ++b) {
      const auto value = static_cast<double>(coupling(a, b));
      row[a] += value / states;
      column[b] += value / states;
      all += value / (states * states);
    }
  }
  for (Index a = 0; a < q; ++a)
    for (Index b = 0; b < q; ++b) result[a * q + b] = static_cast<double>(coupling(a, b)) - row[a] - column[b] + all;
  return result;
}

std::vector<double> contact_scores(ConstMatrixRef coupling, Index states, std::optional<Index> left_out) {
  const Index sites = coupling.rows / states;
  std::vector<double> scores(sites * sites), mean(sites);
  double total = 0.0;
  const auto partners = static_cast<double>(sites - 1);
  for (Index i = 0; i < sites; ++i) {
    for (Index j = i + 1; j < sites; ++j) {
      const std::vector<double> block =
          zero_sum(coupling.slice(i * states, (i + 1) * states).columns(j * states, (j + 1) * states));
      double squares = 0.0;
      for (Index a = 0; a < states; ++a)
        for (Index b = 0; b < states; ++b)
          if (a != left_out && b != left_out) squares += block[a * states + b] * block[a * states + b];
      const double norm = std::sqrt(squares);
      scores[i * sites + j] = scores[j * sites + i] = norm;
      mean[i] += norm / partners;
      mean[j] += norm / partners;
      total += 2.0 * norm / (partners * static_cast<double>(sites));
    }
  }
  if (total == 0.0) return scores;
  for (Index i = 0; i < sites; ++i)
    for (Index j = 0; j < sites; ++j)
      if (i != j) scores[i * sites + j] -= mean[i] * mean[j] / total;
  return scores;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
