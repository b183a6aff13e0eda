#include <harmonium/framework/model/contact_scores.hpp>

#include <cmath>
#include <utility>

#include <harmonium/framework/model/zero_sum_gauge.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

double coupling_norm(ConstMatrixRef coupling, std::optional<Index> left_out) {
  const std::vector<double> block = zero_sum(coupling).coupling;
  double squares = 0.0;
  for (Index a = 0; a < coupling.rows; ++a)
    for (Index b = 0; b < coupling.cols; ++b)
      if (a != left_out && b != left_out) squares += block[a * coupling.cols + b] * block[a * coupling.cols + b];
  return std::sqrt(squares);
}

std::vector<double> coupling_norms(ConstMatrixRef coupling, Index states, std::optional<Index> left_out) {
  const Index sites = coupling.rows / states;
  std::vector<double> norms(sites * sites);
  for (Index i = 0; i < sites; ++i)
    for (Index j = i + 1; j < sites; ++j)
      norms[i * sites + j] = norms[j * sites + i] =
          coupling_norm(coupling.slice(i * states, (i + 1) * states).columns(j * states, (j + 1) * states), left_out);
  return norms;
}

std::vector<double> corrected_by_average_product(std::vector<double> norms, Index sites) {
  if (sites < 2) return norms;
  const auto partners = static_cast<double>(sites - 1);
  std::vector<double> mean(sites);
  double total = 0.0;
  for (Index i = 0; i < sites; ++i)
    for (Index j = i + 1; j < sites; ++j) {
      const double norm = norms[i * sites + j];
      mean[i] += norm / partners;
      mean[j] += norm / partners;
      total += 2.0 * norm / (partners * static_cast<double>(sites));
    }
  if (total == 0.0) return norms;
  for (Index i = 0; i < sites; ++i)
    for (Index j = 0; j < sites; ++j)
      if (i != j) norms[i * sites + j] -= mean[i] * mean[j] / total;
  return norms;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
