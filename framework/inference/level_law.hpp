#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/inference/layer_sums.hpp>
#include <harmonium/framework/inference/thermal_averages.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The law of a number that takes the values first + k step.
struct LevelLaw {
  double first = 0.0, step = 1.0;
  std::vector<double> shares;

  double value(Index k) const { return first + step * static_cast<double>(k); }
  template <class F>
  double mean(const F& f) const {
    double sum = 0.0;
    for (Index k = 0; k < shares.size(); ++k) sum += shares[k] * f(value(k));
    return sum;
  }
  /// ⟨x⟩, or 0 where that is all but rounding.
  double mean() const {
    return beyond_rounding(mean([](double v) { return v; }), mean([](double v) { return std::abs(v); }));
  }
  /// ⟨f²⟩ − ⟨f⟩², about the mean, so that nothing cancels.
  template <class F>
  double variance(const F& f) const {
    const double center = mean(f);
    return mean([&](double v) { return (f(v) - center) * (f(v) - center); });
  }
};

/// An average without an error.
void add_exact(std::vector<ThermalAverage>& out, std::string name, double value);
/// Those of a magnetization of n units, `beta_n` being β n; `prefix` stands before their names.
void add_exact_magnetization(const LevelLaw& m, double beta_n, std::vector<ThermalAverage>& out,
                             const std::string& prefix = "");
/// Those of how many of n sites are in the state of most, as an order from 0 to 1.
void add_exact_order(const LevelLaw& order, double beta_n, std::vector<ThermalAverage>& out);
/// Those of the overlap of two replicas, and its law.
void add_exact_overlap(const LevelLaw& q, const LayerObservables& what, ThermalAverages& out);
/// The law of that overlap, `law` being that of the layer's units of so many states; nothing where it is not had, or takes too long.
std::optional<LevelLaw> overlap_law_of(const LayerObservables& what, Index states, std::vector<double> law,
                                       const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
