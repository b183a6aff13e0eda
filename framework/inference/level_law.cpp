#include <harmonium/framework/inference/level_law.hpp>

#include <limits>
#include <utility>

#include <harmonium/framework/inference/agreement_law.hpp>
#include <harmonium/framework/inference/product_law.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double most_overlap_operations = 0x1p35;  // some ten seconds a temperature

double size_of(double v) { return std::abs(v); }
double square_of(double v) { return v * v; }
double itself(double v) { return v; }

/// factor (1 − ⟨x⁴⟩/(3⟨x²⟩²)); NaN where x is always 0.
double exact_cumulant(const LevelLaw& law, double factor) {
  const double squares = law.mean(square_of);
  if (squares == 0.0) return std::numeric_limits<double>::quiet_NaN();
  return factor * (1.0 - law.mean([](double v) { return v * v * v * v; }) / (3.0 * squares * squares));
}

}  // namespace

void add_exact(std::vector<ThermalAverage>& out, std::string name, double value) {
  out.push_back({std::move(name), value, 0.0});
}

void add_exact_magnetization(const LevelLaw& m, double beta_n, std::vector<ThermalAverage>& out,
                             const std::string& prefix) {
  add_exact(out, prefix + "magnetization", m.mean());
  add_exact(out, prefix + "abs_magnetization", m.mean(size_of));
  add_exact(out, prefix + "squared_magnetization", m.mean(square_of));
  add_exact(out, prefix + "susceptibility", beta_n * m.variance(itself));
  add_exact(out, prefix + "abs_susceptibility", beta_n * m.variance(size_of));
  add_exact(out, prefix + "binder_cumulant", exact_cumulant(m, 1.0));
}

void add_exact_order(const LevelLaw& order, double beta_n, std::vector<ThermalAverage>& out) {
  add_exact(out, "potts_order", order.mean(itself));
  add_exact(out, "potts_susceptibility", beta_n * order.variance(itself));
}

void add_exact_overlap(const LevelLaw& q, const LayerObservables& what, ThermalAverages& out) {
  add_exact(out.averages, "overlap", q.mean());
  add_exact(out.averages, "abs_overlap", q.mean(size_of));
  add_exact(out.averages, "squared_overlap", q.mean(square_of));
  if (what.kind() == LayerObservables::Kind::spins) {
    add_exact(out.averages, "spin_glass_susceptibility",
              static_cast<double>(what.num_units()) * out.averages.back().value);
    add_exact(out.averages, "overlap_binder", exact_cumulant(q, 1.5));
  }
  const double step = q.shares.size() > 1 ? q.value(1) - q.value(0) : 0.0;
  for (Index k = 0; k < q.shares.size(); ++k) out.overlaps.push_back({q.value(k), q.value(k), q.shares[k], 0.0, step});
}

std::optional<LevelLaw> overlap_law_of(const LayerObservables& what, Index states, std::vector<double> law,
                                       const Executor& executor) {
  const auto n = static_cast<double>(what.num_units());
  if (what.kind() == LayerObservables::Kind::spins)
    return LevelLaw{-1.0, 2.0 / n, agreement_law(std::move(law), states, what.num_units(), executor)};
  if (what.kind() == LayerObservables::Kind::sites)
    return LevelLaw{0.0, 1.0 / n, agreement_law(std::move(law), states, what.num_units(), executor)};
  if (!what.magnetizations() || product_law_operations(states, what.num_units()) > most_overlap_operations) return {};
  const ProductLevels levels(states, what.num_units());
  const double step = n * what.magnetizations()->step;  // between two levels of a unit
  return LevelLaw{levels.first * step * step / n, levels.step * step * step / n,
                  product_law(std::move(law), states, what.num_units(), executor)};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
