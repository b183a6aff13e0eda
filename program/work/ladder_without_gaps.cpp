#include <harmonium/program/work/ladder_without_gaps.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/shortest_decimal.hpp>
#include <harmonium/program/work/ladder_warnings.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The energies of a temperature: β, ⟨E⟩ and σ.
struct EnergiesAt {
  double beta, mean, spread;
};

EnergiesAt energies_at(double beta, const ThermalSeries& series) {
  const std::vector<double>& e = series.numbers[0];
  const auto count = static_cast<double>(e.size());
  const double mean = std::accumulate(e.begin(), e.end(), 0.0) / count;
  const double squares =
      std::accumulate(e.begin(), e.end(), 0.0, [&](double sum, double x) { return sum + (x - mean) * (x - mean); });
  return {beta, mean, std::sqrt(squares / count)};
}

/// Adds what goes between the two, ascending.
void fill_gap(const EnergiesAt& hot, const EnergiesAt& cold, std::vector<double>& betas) {
  constexpr double reach = 1.19, least_part = 0.25;  // δσ; and of a step, what is left for the last one
  const double width = cold.beta - hot.beta, mean_spread = std::sqrt(std::max(0.0, hot.mean - cold.mean) / width);
  const auto step = [&](double beta) {
    const double part = (beta - hot.beta) / width;
    return reach / std::max(mean_spread, (1.0 - part) * hot.spread + part * cold.spread);
  };
  for (double beta = hot.beta + step(hot.beta); beta + least_part * step(beta) < cold.beta; beta += step(beta))
    betas.push_back(shortest_decimal(beta, 5));
}

}  // namespace

std::vector<double> betas_without_gaps(const ThermalRecord& record, const std::vector<double>& betas) {
  std::vector<double> filled = betas;
  for (Index k = 0; k + 1 < betas.size(); ++k)
    if (is_gap(*record.ladder, k))
      fill_gap(energies_at(betas[k + 1], record.temperatures[k + 1]), energies_at(betas[k], record.temperatures[k]),
               filled);
  std::ranges::sort(filled, std::greater());
  return filled;
}

std::string ladder_without_gaps(const ThermalRecord& record, const std::vector<double>& betas,
                                const ShownTemperature& shown) {
  constexpr std::size_t most_told = 100;
  const char* what = shown.by_temperature ? "temperatures" : "betas";
  const std::vector<double> filled = betas_without_gaps(record, betas);
  if (filled.size() == betas.size()) return fmt::format("Add {} between.", what);
  if (filled.size() > most_told) return fmt::format("Add {} between, some {} in all.", what, filled.size());
  std::vector<std::string> told;
  for (const double beta : filled) {
    const bool given = std::ranges::find(betas, beta) != betas.end();
    told.push_back(fmt::format("{}", shortest_decimal(shown.value(beta), given ? 12 : 5)));
  }
  if (!shown.by_temperature) std::ranges::reverse(told);
  return fmt::format("Add {0} between: --{0} {1}", what, fmt::join(told, ","));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
