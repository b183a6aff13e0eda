#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/exact_averages.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>

/// The averages of `observe --exact` by loops over all states, and over all pairs of them.
namespace harmonium::testing::state_loops {

using Exact = std::map<std::string, double>;

/// A state of the model: its probability, its energy, and s of the units of one layer (of a site the number of its state).
struct Weighted {
  double probability, energy;
  std::vector<double> units;
};

inline std::vector<Weighted> law_of(const EnergyModel& model, LayerId layer, double beta) {
  const Oracle oracle(model);
  const Layer& own = model.layout()[layer];
  const Index width = own.unit->width();
  std::vector<Weighted> all;
  double z = 0.0;
  for (const Oracle::State& x : oracle.states(model.layout().all())) {
    Weighted& w = all.emplace_back(Weighted{0.0, oracle.energy(x), {}});
    for (Index i = 0; i < own.size; ++i) {
      const double* const columns = x.data() + oracle.first(layer) + i * width;
      if (width > 1) w.units.push_back(static_cast<double>(std::max_element(columns, columns + width) - columns));
      else w.units.push_back(own.unit->min() < 0.0 ? *columns : 2.0 * *columns - 1.0);
    }
    z += w.probability = std::exp(-beta * w.energy);
  }
  for (Weighted& w : all) w.probability /= z;
  return all;
}

inline double likeness(const std::vector<double>& s, Index i, Index j, bool sites) {
  return sites ? (s[i] == s[j] ? 1.0 : 0.0) : s[i] * s[j];
}

template <class F>
double mean(const std::vector<Weighted>& law, const F& f) {
  double sum = 0.0;
  for (const Weighted& w : law) sum += w.probability * f(w);
  return sum;
}

inline double magnetization_of(const Weighted& w) {
  double sum = 0.0;
  for (const double s : w.units) sum += s;
  return sum / static_cast<double>(w.units.size());
}

inline void add_moments_of_spins(const std::vector<Weighted>& law, double beta, Exact& out) {
  const auto n = static_cast<double>(law[0].units.size());
  const double m1 = mean(law, magnetization_of);
  const double size = mean(law, [](const Weighted& w) { return std::abs(magnetization_of(w)); });
  const double m2 = mean(law, [](const Weighted& w) { return std::pow(magnetization_of(w), 2); });
  const double m4 = mean(law, [](const Weighted& w) { return std::pow(magnetization_of(w), 4); });
  out["magnetization"] = m1;
  out["abs_magnetization"] = size;
  out["squared_magnetization"] = m2;
  out["susceptibility"] = beta * n * (m2 - m1 * m1);
  out["abs_susceptibility"] = beta * n * (m2 - size * size);
  out["binder_cumulant"] = 1.0 - m4 / (3.0 * m2 * m2);
}

inline void add_shares_of_sites(const std::vector<Weighted>& law, double beta, Index states, Exact& out) {
  const auto n = static_cast<double>(law[0].units.size()), p = static_cast<double>(states);
  const auto share = [&](const Weighted& w, Index s) {
    return static_cast<double>(std::ranges::count(w.units, static_cast<double>(s))) / n;
  };
  const auto order = [&](const Weighted& w) {
    double most = 0.0;
    for (Index s = 0; s < states; ++s) most = std::max(most, share(w, s));
    return (p * most - 1.0) / (p - 1.0);
  };
  for (Index s = 0; s < states; ++s)
    out["share_" + std::to_string(s)] = mean(law, [&](const Weighted& w) { return share(w, s); });
  out["potts_order"] = mean(law, order);
  const double squares = mean(law, [&](const Weighted& w) { return order(w) * order(w); });
  out["potts_susceptibility"] = beta * n * (squares - out["potts_order"] * out["potts_order"]);
}

/// P(q), by two loops over the states of the layer: q is the key times 1/n.
inline std::map<int, double> overlap_law(const std::vector<Weighted>& law, bool sites) {
  std::map<std::vector<double>, double> of_layer;
  for (const Weighted& w : law) of_layer[w.units] += w.probability;
  std::map<int, double> q;
  for (const auto& [a, p] : of_layer)
    for (const auto& [b, r] : of_layer) {
      double sum = 0.0;
      for (Index i = 0; i < a.size(); ++i) sum += sites ? (a[i] == b[i] ? 1.0 : 0.0) : a[i] * b[i];
      q[static_cast<int>(std::lround(sum))] += p * r;
    }
  return q;
}

inline void add_overlaps(const std::vector<Weighted>& law, bool sites, Exact& out) {
  const auto n = static_cast<double>(law[0].units.size());
  double moments[5] = {}, size = 0.0;
  for (const auto& [sum, p] : overlap_law(law, sites)) {
    for (int k = 0; k < 5; ++k) moments[k] += p * std::pow(sum / n, k);
    size += p * std::abs(sum / n);
  }
  out["overlap"] = moments[1];
  out["abs_overlap"] = size;
  out["squared_overlap"] = moments[2];
  if (sites) return;
  out["spin_glass_susceptibility"] = n * moments[2];
  out["overlap_binder"] = 0.5 * (3.0 - moments[4] / (moments[2] * moments[2]));
}

/// The mean over the pairs of the layer of which a coupling is not 0.
inline void add_pairs(const EnergyModel& model, const std::vector<Weighted>& law, LayerId layer, bool sites,
                      Exact& out) {
  const Oracle oracle(model);
  const Index n = law[0].units.size(), width = model.layout()[layer].unit->width(), first = oracle.first(layer);
  double sum = 0.0;
  int pairs = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) {
      bool joined = false;
      for (Index r = 0; r < width; ++r)
        for (Index c = 0; c < width; ++c)
          joined |= oracle.coupling(first + i * width + r, first + j * width + c) != 0.0;
      if (!joined) continue;
      ++pairs;
      sum += mean(law, [&](const Weighted& w) { return likeness(w.units, i, j, sites); });
    }
  if (pairs > 0) out[sites ? "pair_delta" : "pair_correlation"] = sum / pairs;
}

/// `law` as law_of has it, or a part of that.
inline Exact by_loops(const EnergyModel& model, LayerId layer, double beta, const std::vector<Weighted>& law) {
  const Layer& own = model.layout()[layer];
  const bool sites = own.unit->width() > 1;
  double units = 0.0;
  for (const Layer& l : model.layout().layers()) units += static_cast<double>(l.size);
  Exact out;
  const double energy = mean(law, [](const Weighted& w) { return w.energy; });
  out["energy"] = energy;
  out["energy_per_unit"] = energy / units;
  out["specific_heat"] =
      beta * beta / units * mean(law, [&](const Weighted& w) { return (w.energy - energy) * (w.energy - energy); });
  if (sites) add_shares_of_sites(law, beta, own.unit->num_states(), out);
  else add_moments_of_spins(law, beta, out);
  add_overlaps(law, sites, out);
  add_pairs(model, law, layer, sites, out);
  return out;
}

inline double tolerance(double value) { return (in_double ? 1e-11 : 3e-4) * (1.0 + std::abs(value)); }

inline void check_averages(const ExactAverages& found, const Exact& exact) {
  CHECK(found.thermal.averages.size() == exact.size());
  for (const ThermalAverage& a : found.thermal.averages) {
    CAPTURE(a.name);
    REQUIRE(exact.contains(a.name));
    CHECK(a.error == 0.0);
    CHECK(a.long_enough);
    CHECK(std::abs(a.value - exact.at(a.name)) <= tolerance(exact.at(a.name)));
  }
}

}  // namespace harmonium::testing::state_loops
