#include <harmonium/framework/inference/eliminated_expectation.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/elimination_marginals.hpp>
#include <harmonium/framework/inference/operations.hpp>
#include <harmonium/framework/inference/pairwise_factors.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Rows with weights, whose gradient is added as they fill up.
class WeightedRows {
 public:
  WeightedRows(const EnergyModel& model, Index units, double scale, std::span<Real> gradient, const Executor& executor)
      : model_(model),
        states_(units, 0),
        rows_(model.layout(), most_rows),
        scale_(scale),
        gradient_(gradient),
        executor_(executor) {}
  ~WeightedRows() = default;
  WeightedRows(const WeightedRows&) = delete;
  WeightedRows& operator=(const WeightedRows&) = delete;

  struct State {
    Index unit, state;
  };
  /// The row in which these units are in these states, and the others in their first.
  void add(std::span<const State> others, double weight) {
    for (const State& s : others) states_[s.unit] = static_cast<std::uint32_t>(s.state);
    write_states(model_.layout(), states_, rows_, weights_.size());
    for (const State& s : others) states_[s.unit] = 0;
    weights_.push_back(scale_ * weight);
    if (weights_.size() == most_rows) finish();
  }
  void finish() {
    if (weights_.empty()) return;
    executor_.check_stop();
    if (weights_.size() < most_rows) {
      Chains fewer(model_.layout(), weights_.size());
      fewer.copy_rows(model_.layout().all(), {rows_, 0, weights_.size()}, 0);
      rows_ = std::move(fewer);
    }
    model_.free_energy()->add_gradient(model_.layout().all(), rows_, weights_, gradient_, executor_);
    weights_.clear();
  }

 private:
  static constexpr Index most_rows = 1024;

  const EnergyModel& model_;
  std::vector<std::uint32_t> states_;
  Chains rows_;
  std::vector<double> weights_;
  double scale_;
  std::span<Real> gradient_;
  const Executor& executor_;
};

}  // namespace

EliminatedExpectation::EliminatedExpectation(const EnergyModel& model, double max_bits) {
  if (!model.free_energy() || !model.free_energy()->closed(model.layout().all()))
    throw CapabilityError("the model offers no energy gradient of states.");
  for (const Layer& layer : model.layout().layers()) {
    if (layer.unit->num_states() == 0) throw CapabilityError("the units of layer '" + layer.name + "' are continuous.");
    states_.insert(states_.end(), layer.size, layer.unit->num_states());
  }
  neighbors_ = coupling_graph(model, Couplings::that_exist);
  const auto refuse = [&](const char* how, double bits) {
    throw CapabilityError(
        fmt::format("summing units out one by one would take tables of {}2^{:.4g} entries in all.", how, bits));
  };
  if (const auto bits = static_cast<double>(degeneracy(neighbors_)); bits > max_bits) refuse("at least ", bits);
  order_ = EliminationOrder::of(neighbors_, states_);
  if (order_.units.size() < states_.size()) refuse("at least ", order_.log2_largest);
  if (order_.log2_work > max_bits) refuse("", order_.log2_work);
  static_cast<void>(PairwiseFactors::of(model));  // throws where the energy is no such sum
  for (Index u = 0; u < neighbors_.size(); ++u)
    for (const Index v : neighbors_[u])
      if (u < v) pairs_.push_back({u, v});
}

std::optional<EliminatedExpectation> EliminatedExpectation::of(const EnergyModel& model, double max_bits) {
  try {
    return EliminatedExpectation(model, max_bits);
  } catch (const CapabilityError&) {
    return {};
  }
}

double EliminatedExpectation::operations(const EnergyModel& model) const {
  constexpr double of_an_entry = 30.0;  // a logarithm and an exponential, and products over a few tables
  double rows = 1.0;
  for (const Index s : states_) rows += static_cast<double>(s - 1);
  for (const auto& [u, v] : pairs_) rows += static_cast<double>((states_[u] - 1) * (states_[v] - 1));
  return of_an_entry * std::exp2(log2_entries()) + rows * operations_per_product(model);
}

void EliminatedExpectation::add(const EnergyModel& model, double scale, std::span<Real> gradient,
                                const Executor& executor) const {
  HARMONIUM_ASSERT(coupling_graph(model, Couplings::that_exist) == neighbors_);
  Marginals laws = marginals_of(PairwiseFactors::of(model), neighbors_, order_, pairs_, executor);
  WeightedRows rows(model, states_.size(), scale, gradient, executor);
  double of_first = 1.0;
  for (const auto& p : laws.single)
    for (Index a = 1; a < p.size(); ++a) of_first -= p[a];
  for (Index k = 0; k < pairs_.size(); ++k) {
    const auto [u, v] = pairs_[k];
    for (Index a = 1; a < states_[u]; ++a)
      for (Index b = 1; b < states_[v]; ++b) {
        const double p = laws.pairs[k][a * states_[v] + b];
        rows.add(std::array{WeightedRows::State{u, a}, WeightedRows::State{v, b}}, p);
        laws.single[u][a] -= p;
        laws.single[v][b] -= p;
        of_first += p;
      }
  }
  for (Index u = 0; u < states_.size(); ++u)
    for (Index a = 1; a < states_[u]; ++a) rows.add(std::array{WeightedRows::State{u, a}}, laws.single[u][a]);
  rows.add({}, of_first);
  rows.finish();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
