#pragma once

#include <vector>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace harmonium::testing {

using Law = std::vector<double>;  ///< a probability for each state

/// The exact Gibbs transition of an RBM's visible layer, x → h → x', from the model's own conditionals.
class Transition {
 public:
  explicit Transition(const EnergyModel& model) : oracle_(model) {
    const Layout& layout = model.layout();
    visible_ = layout.find("visible");
    hidden_ = layout.find("hidden");
    visible_states = oracle_.states(LayerSet{}.add(visible_));
    hidden_states = oracle_.states(LayerSet{}.add(hidden_));
    hidden_means = means(model, hidden_, visible_states);
    visible_means = means(model, visible_, hidden_states);
    for (Index v = 0; v < visible_states.size(); ++v) {
      hidden_law.push_back(product(hidden_means[v], hidden_states, hidden_));
      rows_.emplace_back(visible_states.size(), 0.0);
      for (Index h = 0; h < hidden_states.size(); ++h) {
        const Law next = product(visible_means[h], visible_states, visible_);
        for (Index x = 0; x < next.size(); ++x) rows_[v][x] += hidden_law[v][h] * next[x];
      }
    }
  }

  Law step(const Law& law) const {
    Law next(law.size(), 0.0);
    for (Index v = 0; v < law.size(); ++v)
      for (Index x = 0; x < law.size(); ++x) next[x] += law[v] * rows_[v][x];
    return next;
  }
  Law steps(Law law, Index k) const {
    while (k-- > 0) law = step(law);
    return law;
  }
  /// The law of x' where h is uniform.
  Law from_uniform_hidden() const {
    Law law(visible_states.size(), 0.0);
    for (Index h = 0; h < hidden_states.size(); ++h) {
      const Law next = product(visible_means[h], visible_states, visible_);
      for (Index x = 0; x < next.size(); ++x) law[x] += next[x] / static_cast<double>(hidden_states.size());
    }
    return law;
  }
  /// The law of independent visible units with these means.
  Law of_means(const std::vector<double>& visible) const { return product(visible, visible_states, visible_); }
  /// All mass on the state whose visible units are these.
  Law at(const std::vector<double>& visible) const {
    Law law(visible_states.size(), 0.0);
    for (Index v = 0; v < law.size(); ++v)
      law[v] = std::equal(visible.begin(), visible.end(),
                          visible_states[v].begin() + static_cast<std::ptrdiff_t>(oracle_.first(visible_)))
                   ? 1.0
                   : 0.0;
    return law;
  }

  const Oracle& oracle() const { return oracle_; }

  std::vector<Oracle::State> visible_states, hidden_states;
  std::vector<std::vector<double>> hidden_means, visible_means;  ///< of the other layer, for each state
  std::vector<Law> hidden_law;                                   ///< of hidden_states, for each visible state

 private:
  std::vector<std::vector<double>> means(const EnergyModel& model, LayerId layer,
                                         const std::vector<Oracle::State>& given) const {
    const Chains rows = oracle_.chains(given);
    const Index columns = model.layout()[layer].columns();
    std::vector<Real> linear(given.size() * columns);
    for (const Block& block : model.block_conditionals()->blocks())
      if (block.layer == layer)
        model.block_conditionals()->fields(block, 0, block.size, rows,
                                           {{linear.data(), given.size(), columns, columns}});
    std::vector<std::vector<double>> all;
    for (Index r = 0; r < given.size(); ++r) {
      all.emplace_back();
      for (Index c = 0; c < columns; ++c) all.back().push_back(logistic(static_cast<double>(linear[r * columns + c])));
    }
    return all;
  }
  Law product(const std::vector<double>& means, const std::vector<Oracle::State>& states, LayerId layer) const {
    Law law;
    for (const Oracle::State& s : states) {
      double p = 1.0;
      for (Index c = 0; c < means.size(); ++c) p *= s[oracle_.first(layer) + c] != 0.0 ? means[c] : 1.0 - means[c];
      law.push_back(p);
    }
    return law;
  }

  Oracle oracle_;
  LayerId visible_{}, hidden_{};
  std::vector<std::vector<double>> rows_;
};

/// Diag_4, the data of the golden figures.
inline std::vector<std::vector<double>> golden_rows() {
  std::vector<std::vector<double>> rows;
  for (Index k = 0; k < golden::num_rows; ++k) {
    rows.emplace_back(golden::num_visible, 0.0);
    std::fill_n(rows.back().begin(), k, 1.0);
  }
  return rows;
}

/// A batch of rows of the one observed layer, with what a DataBatch refers to.
struct Batch {
  Batch(const Layout& layout, const std::vector<std::vector<double>>& visible, std::vector<double> row_weights = {})
      : rows(layout, visible.size()), weights(std::move(row_weights)) {
    if (weights.empty()) weights.assign(visible.size(), 1.0 / static_cast<double>(visible.size()));
    marginals.assign(visible[0].size(), 0.0);
    for (const LayerId l : layout.ids()) {
      if (layout[l].role != Role::observed) continue;
      const MatrixRef to = rows.write(l);
      for (Index r = 0; r < to.rows; ++r) {
        for (Index c = 0; c < to.cols; ++c) {
          to(r, c) = static_cast<Real>(visible[r][c]);
          marginals[c] += visible[r][c] / static_cast<double>(to.rows);
        }
      }
    }
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  DataBatch view() { return {rows, weights, posterior, nullptr, marginals}; }

  Chains rows;
  std::vector<double> weights, marginals;
  Posterior posterior;
};

}  // namespace harmonium::testing
