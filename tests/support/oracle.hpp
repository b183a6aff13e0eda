#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/testing/differences.hpp>

namespace harmonium::testing {
using namespace conformance;

/// Everything about a pairwise model that follows from the definition of its energy, by loops over units and sums over
/// states: it shares nothing with the library but θ and the names of its tensors.
///   E(x) = −b·x + ½ Σ γ_i x_i² − ½ xᵀ J x,
/// J joining all columns of all layers, zero where nothing is coupled.
class Oracle {
 public:
  /// One configuration: the columns of all layers, in layout order.
  using State = std::vector<double>;

  explicit Oracle(const EnergyModel& model) : layout_(&model.layout()) {
    for (const Layer& layer : layout_->layers()) {
      first_.push_back(columns_);
      columns_ += layer.columns();
    }
    bias.assign(columns_, 0.0);
    gamma.assign(columns_, 0.0);
    couplings_.assign(columns_ * columns_, 0.0);
    const ParameterLayout& parameters = model.parameter_layout();
    for (Index k = 0; k < parameters.blocks().size(); ++k) {
      const ParameterBlock& block = parameters[k];
      const ConstMatrixRef w = parameters.view(k, model.parameters().data());
      const Index a = first(block.layers[0]);
      for (Index i = 0; i < w.rows; ++i) {
        for (Index j = 0; j < w.cols; ++j) {
          const auto value = static_cast<double>(w(i, j));
          if (block.role == ParameterRole::bias) bias[a + i] = value;
          if (is_curvature(block)) gamma[a + i] = curvature_of(block.role, value);
          if (block.role != ParameterRole::coupling) continue;
          const Index b = first(block.layers[1]);
          coupling(a + i, b + j) = coupling(b + j, a + i) = value;
        }
      }
    }
  }

  const Layout& layout() const { return *layout_; }
  Index columns() const { return columns_; }
  Index first(LayerId l) const { return first_[static_cast<Index>(l)]; }
  double& coupling(Index i, Index j) { return couplings_[i * columns_ + j]; }
  double coupling(Index i, Index j) const { return couplings_[i * columns_ + j]; }

  double energy(const State& x) const {
    double e = 0.0;
    for (Index i = 0; i < columns_; ++i) {
      e += -bias[i] * x[i] + 0.5 * gamma[i] * x[i] * x[i];
      for (Index j = 0; j < columns_; ++j) e -= 0.5 * coupling(i, j) * x[i] * x[j];
    }
    return e;
  }
  /// Σ of the sizes of the energy's terms: what its rounding error scales with.
  double scale() const {
    double sum = 1.0;
    for (Index i = 0; i < columns_; ++i) {
      sum += std::abs(bias[i]) + 0.5 * std::abs(gamma[i]);
      for (Index j = 0; j < columns_; ++j) sum += 0.5 * std::abs(coupling(i, j));
    }
    return sum;
  }

  /// Calls body(state) for every state of the layers of `run`, the others being those of `base`; the first unit of the
  /// first layer changes fastest.
  void for_each(LayerSet run, State base, const std::function<void(const State&)>& body) const {
    struct Unit {
      Index at, width, states;
      std::vector<Real> values;
    };
    std::vector<Unit> units;
    for (const LayerId l : layout_->ids()) {
      if (!run.contains(l)) continue;
      const UnitType& unit = *(*layout_)[l].unit;
      Unit u{0, unit.width(), unit.num_states(), std::vector<Real>(unit.width() * unit.num_states())};
      unit.states({u.values.data(), u.states, u.width, u.width});
      for (Index i = 0; i < (*layout_)[l].size; ++i) {
        u.at = first(l) + i * u.width;
        units.push_back(u);
      }
    }
    std::vector<Index> digits(units.size(), 0);
    while (true) {
      for (Index k = 0; k < units.size(); ++k)
        for (Index c = 0; c < units[k].width; ++c)
          base[units[k].at + c] = static_cast<double>(units[k].values[digits[k] * units[k].width + c]);
      body(base);
      Index k = 0;
      while (k < digits.size() && ++digits[k] == units[k].states) digits[k++] = 0;
      if (k == digits.size()) return;
    }
  }
  std::vector<State> states(LayerSet run, const State& base) const {
    std::vector<State> all;
    for_each(run, base, [&](const State& x) { all.push_back(x); });
    return all;
  }
  std::vector<State> states(LayerSet run) const { return states(run, State(columns_, 0.0)); }

  /// log Σ e^{−β E} over the states of `run`, the others being those of `x`.
  double log_sum(LayerSet run, const State& x, double beta = 1.0) const {
    std::vector<double> terms;
    double top = -INFINITY, sum = 0.0;
    for_each(run, x, [&](const State& s) {
      terms.push_back(-beta * energy(s));
      top = std::max(top, terms.back());
    });
    for (const double t : terms) sum += std::exp(t - top);
    return top + std::log(sum);
  }
  double log_z(double beta = 1.0) const { return log_sum(layout_->all(), State(columns_, 0.0), beta); }
  LayerSet without(LayerSet kept) const {
    LayerSet rest;
    for (const LayerId l : layout_->ids())
      if (!kept.contains(l)) rest.add(l);
    return rest;
  }
  double free_energy(LayerSet kept, const State& x, double beta = 1.0) const {
    return -log_sum(without(kept), x, beta);
  }
  /// Whether no two units of the layers of `set` are coupled.
  bool uncoupled(LayerSet set) const {
    for (const LayerId a : layout_->ids())
      for (const LayerId b : layout_->ids())
        if (set.contains(a) && set.contains(b))
          for (Index i = 0; i < (*layout_)[a].columns(); ++i)
            for (Index j = 0; j < (*layout_)[b].columns(); ++j)
              if (coupling(first(a) + i, first(b) + j) != 0.0) return false;
    return true;
  }
  /// Every set of layers.
  std::vector<LayerSet> sets() const {
    std::vector<LayerSet> all;
    for (unsigned bits = 0; bits < 1u << layout_->size(); ++bits) {
      LayerSet set;
      for (const LayerId l : layout_->ids())
        if ((bits >> static_cast<unsigned>(l)) & 1u) set.add(l);
      all.push_back(set);
    }
    return all;
  }

  Chains chains(const std::vector<State>& rows) const {
    Chains chains(*layout_, rows.size());
    for (const LayerId l : layout_->ids()) {
      const MatrixRef to = chains.write(l);
      for (Index r = 0; r < to.rows; ++r)
        for (Index c = 0; c < to.cols; ++c) to(r, c) = static_cast<Real>(rows[r][first(l) + c]);
    }
    return chains;
  }
  State state(const Chains& chains, Index row) const {
    State x(columns_);
    for (const LayerId l : layout_->ids()) {
      const ConstMatrixRef from = chains.read(l);
      for (Index c = 0; c < from.cols; ++c) x[first(l) + c] = static_cast<double>(from(row, c));
    }
    return x;
  }

  std::vector<double> bias, gamma;

 private:
  const Layout* layout_;
  Index columns_ = 0;
  std::vector<Index> first_;
  std::vector<double> couplings_;
};

/// Whether a gradient moves the entry of θ.
inline bool learned(const EnergyModel& model, Index entry) {
  for (const ParameterBlock& b : model.parameter_layout().blocks())
    if (entry >= b.offset && entry < b.offset + b.size()) return b.learned;
  return false;
}

}  // namespace harmonium::testing
