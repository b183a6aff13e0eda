#include <harmonium/program/work/law_of_draws.hpp>

#include <algorithm>

namespace harmonium {
inline namespace HARMONIUM_ABI {

Index most_rows_of_chains(const Layout& layout) {
  constexpr Index values = 4'000'000, rows = 100'000;
  return std::clamp<Index>(values / layout.columns(layout.all()), 100, rows);
}

std::optional<TotalVariation> law_of_draws(const EnergyModel& model, const MixingReport& report, double beta,
                                           const Executor& executor) {
  if (report.rows.size() == 0) return {};
  const double independent = std::min(report.effective_sample_size(), static_cast<double>(report.rows.size()));
  return total_variation(model, beta, report.rows, independent, executor);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
