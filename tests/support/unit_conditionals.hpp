#pragma once

#include <cmath>
#include <vector>

#include <harmonium/tests/support/oracle.hpp>

namespace harmonium::testing {

/// log of w(x) / Σ_s w(x with unit u in state s) of each observed unit, in layout order: with log w = −β F the terms of the
/// pseudo likelihood, with log w = −β E the units' conditionals given everything else.
template <class LogWeight>
std::vector<double> unit_conditionals(const Oracle& oracle, const Oracle::State& x, const LogWeight& log_weight) {
  const Layout& layout = oracle.layout();
  std::vector<double> terms;
  for (const LayerId l : layout.ids(layout.observed())) {
    const UnitType& unit = *layout[l].unit;
    std::vector<Real> values(unit.num_states() * unit.width());
    unit.states({values.data(), unit.num_states(), unit.width(), unit.width()});
    for (Index u = 0; u < layout[l].size; ++u) {
      const double own = log_weight(x);
      double sum = 0.0;
      Oracle::State changed = x;
      for (Index s = 0; s < unit.num_states(); ++s) {
        for (Index c = 0; c < unit.width(); ++c)
          changed[oracle.first(l) + u * unit.width() + c] = static_cast<double>(values[s * unit.width() + c]);
        sum += std::exp(log_weight(changed) - own);
      }
      terms.push_back(-std::log(sum));
    }
  }
  return terms;
}

/// The terms of the pseudo likelihood of one row, by sums over latent states.
inline std::vector<double> pseudo_likelihood_terms(const Oracle& oracle, const Oracle::State& x, double beta = 1.0) {
  const LayerSet observed = oracle.layout().observed();
  return unit_conditionals(oracle, x, [&](const Oracle::State& s) { return -oracle.free_energy(observed, s, beta); });
}

/// The same with the latent units at their means given the row, which are found by enumeration.
inline std::vector<double> terms_at_means(const Oracle& oracle, const Oracle::State& x, double beta = 1.0) {
  const Layout& layout = oracle.layout();
  const double log_sum = oracle.log_sum(layout.latent(), x, beta);
  Oracle::State at = x;
  for (const LayerId l : layout.ids(layout.latent()))
    for (Index c = 0; c < layout[l].columns(); ++c) at[oracle.first(l) + c] = 0.0;
  oracle.for_each(layout.latent(), x, [&](const Oracle::State& s) {
    const double p = std::exp(-beta * oracle.energy(s) - log_sum);
    for (const LayerId l : layout.ids(layout.latent()))
      for (Index c = 0; c < layout[l].columns(); ++c) at[oracle.first(l) + c] += p * s[oracle.first(l) + c];
  });
  return unit_conditionals(oracle, at, [&](const Oracle::State& s) { return -beta * oracle.energy(s); });
}

}  // namespace harmonium::testing
