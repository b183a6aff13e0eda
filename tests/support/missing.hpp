#pragma once

#include <cmath>
#include <vector>

#include <harmonium/framework/inference/gradient_estimator.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace harmonium::testing {

/// Rows of which some entries were not seen, and everything about their posterior by sums over states. A byte a unit of
/// all layers in layout order, 1 where it was seen; latent units never are.
struct PartlySeen {
  const EnergyModel& model;
  std::vector<Oracle::State> rows;
  std::vector<double> weights;
  std::vector<std::vector<std::uint8_t>> seen;  ///< empty: all of the observed layers

  /// The units of a layer that were seen, as a mask holds them.
  HeldMask mask() const {
    HeldMask mask;
    Index first = 0;
    for (const Layer& layer : model.layout().layers()) {
      const LayerId l = model.layout().find(layer.name);
      if (layer.role == Role::observed) {
        std::vector<std::uint8_t> units;
        for (const auto& row : seen)
          units.insert(units.end(), row.begin() + static_cast<std::ptrdiff_t>(first),
                       row.begin() + static_cast<std::ptrdiff_t>(first + layer.size));
        mask.hold_units(l, layer.size, std::move(units));
      }
      first += layer.size;
    }
    return mask;
  }

  /// All configurations that agree with row `r` where it was seen.
  std::vector<Oracle::State> completions(Index r) const {
    const Oracle oracle(model);
    const Layout& layout = model.layout();
    std::vector<Oracle::State> all;
    for (Oracle::State& x : oracle.states(layout.all())) {
      bool agrees = true;
      Index unit = 0;
      for (const LayerId l : layout.ids()) {
        const Index width = layout[l].unit->width();
        for (Index u = 0; u < layout[l].size; ++u, ++unit) {
          const bool known = seen.empty() ? layout[l].role == Role::observed : seen[r][unit] != 0;
          if (!known) continue;
          for (Index c = 0; c < width; ++c)
            agrees = agrees && x[oracle.first(l) + u * width + c] == rows[r][oracle.first(l) + u * width + c];
        }
      }
      if (agrees) all.push_back(std::move(x));
    }
    return all;
  }

  /// log Σ exp(−E) over them.
  double log_sum(Index r) const {
    const Oracle oracle(model);
    double sum = 0.0;
    for (const Oracle::State& x : completions(r)) sum += std::exp(-oracle.energy(x));
    return std::log(sum);
  }

  /// Σ_r weights[r] E[∂E/∂θ | what was seen of row r].
  std::vector<double> positive_phase() const {
    const Oracle oracle(model);
    const Executor executor(1);
    std::vector<double> sum(model.parameters().size(), 0.0);
    for (Index r = 0; r < rows.size(); ++r) {
      const double log_z = log_sum(r);
      for (const Oracle::State& x : completions(r)) {
        const double weight = weights[r] * std::exp(-oracle.energy(x) - log_z);
        std::vector<Real> gradient(sum.size(), Real{0});
        const double one = 1.0;
        model.add_gradient(oracle.chains({x}), {&one, 1}, gradient, executor);
        for (Index i = 0; i < sum.size(); ++i) sum[i] += weight * static_cast<double>(gradient[i]);
      }
    }
    return sum;
  }
};

}  // namespace harmonium::testing
