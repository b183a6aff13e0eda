#include <harmonium/framework/inference/stack_sums.hpp>

#include <algorithm>
#include <cmath>
#include <span>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/inference/closed_free_energies.hpp>
#include <harmonium/framework/inference/posterior.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// log q(s) of each state s of each latent unit of a row, unit by unit.
struct UnitLaws {
  std::vector<double> log_q;
  std::vector<Index> states;  ///< how many each unit has
};

/// Those of a machine's latent layers in the order of JointStates; `fields` has their natural parameters, layer by layer.
UnitLaws laws_of_row(const Layout& layout, const PerLayer<ConstFields>& fields, Index row) {
  UnitLaws laws;
  std::vector<double> weights;
  for (const LayerId l : layout.ids(layout.latent())) {
    const Layer& layer = layout[l];
    const UnitStates states(*layer.unit);
    weights.resize(states.size());
    for (Index u = 0; u < layer.size; ++u) {
      for (Index s = 0; s < states.size(); ++s)
        weights[s] = log_weight(fields[l], row, u * layer.unit->width(), states[s]);
      const double all = logsumexp(weights);
      for (const double w : weights) laws.log_q.push_back(w - all);
      laws.states.push_back(states.size());
    }
  }
  return laws;
}

/// Sums out one unit after the other, from the one that changes slowest: of `table`, whose states of the units that are left are `n`,
/// `fold(out, in, n, q)` makes n sums over the states of the unit whose law is q.
template <class Fold>
double folded(const UnitLaws& laws, std::span<const double> table, std::vector<double>& memory, const Fold& fold) {
  const double* in = table.data();
  Index n = table.size();
  const double* law = laws.log_q.data() + laws.log_q.size();
  for (Index u = laws.states.size(); u > 0; --u) {
    const Index states = laws.states[u - 1];
    law -= states;
    n /= states;
    memory.resize(std::max(memory.size(), n));
    fold(memory.data(), in, n, std::span(law, states));
    in = memory.data();
  }
  return *in;
}

/// out[i] = Σ_s q(s) in[i + s n]; `out` may be `in`.
void fold_weights(double* out, const double* in, Index n, std::span<const double> log_q) {
  const double first = std::exp(log_q[0]);
  for (Index i = 0; i < n; ++i) out[i] = first * in[i];
  for (Index s = 1; s < log_q.size(); ++s) {
    const double q = std::exp(log_q[s]);
    for (Index i = 0; i < n; ++i) out[i] += q * in[s * n + i];
  }
}

/// The same of logarithms: out[i] = log Σ_s q(s) exp in[i + s n].
void fold_logarithms(double* out, const double* in, Index n, std::span<const double> log_q) {
  for (Index i = 0; i < n; ++i) {
    LogSumExp sum;
    for (Index s = 0; s < log_q.size(); ++s) sum.add(log_q[s] + in[s * n + i]);
    out[i] = sum.value();
  }
}

}  // namespace

StackSums::StackSums(const EnergyModel& model, const Executor& executor)
    : model_(&model), stack_(stacked_machines(model)), between_(stack_->num_machines() - 1) {
  for (Index k = between_.size(); k > 0; --k) {
    Between& between = between_[k - 1];
    between.log_weights = log_weights_above(k - 1, executor);
    between.largest = *std::ranges::max_element(between.log_weights);
    between.weights.resize(between.log_weights.size());
    std::ranges::transform(between.log_weights, between.weights.begin(),
                           [&](double w) { return std::exp(w - between.largest); });
  }
}

std::vector<double> StackSums::log_weights_above(Index k, const Executor& executor) const {
  const EnergyModel &machine = stack_->machine(k), &above = stack_->machine(k + 1);
  const Layout &own = machine.layout(), &next = above.layout();
  const JointStates states(model_->layout(), stack_->layers_of(k, own.latent()));
  constexpr std::uint64_t piece = 4096;
  std::vector<double> weights(states.size());
  for (std::uint64_t begin = 0; begin < states.size(); begin += piece) {
    executor.check_stop();
    const Index count = std::min(piece, states.size() - begin);
    Chains x(model_->layout(), count);
    states.write(begin, begin + count, x);
    const std::vector<double> g =
        closed_free_energies(machine, own.latent(), 1.0, stack_->rows_of_machine(k, own.latent(), x.real()), executor);
    const std::vector<double> sums =
        log_sums(k + 1, stack_->rows_of_machine(k + 1, next.observed(), x.real()), executor);
    for (Index i = 0; i < count; ++i) weights[begin + i] = g[i] + sums[i];
  }
  return weights;
}

std::vector<double> StackSums::log_sums(Index k, const Chains& rows, const Executor& executor) const {
  const EnergyModel& machine = stack_->machine(k);
  const Layout& layout = machine.layout();
  std::vector<double> sums = closed_free_energies(machine, layout.observed(), 1.0, rows, executor);
  for (double& f : sums) f = -f;
  if (k == between_.size()) return sums;
  Posterior posterior;
  PerLayer<ConstFields> fields(layout.size());
  for (const LayerId l : layout.ids(layout.latent())) fields[l] = posterior.fields(machine, rows, l, executor);
  const Between& between = between_[k];
  constexpr double least = 1e-250;  // far above what the smallest weights lose
  executor.for_each_piece(rows.size(), 16, [&](Index begin, Index end) {
    std::vector<double> memory;
    for (Index r = begin; r < end; ++r) {
      const UnitLaws laws = laws_of_row(layout, fields, r);
      const double sum = folded(laws, between.weights, memory, fold_weights);
      sums[r] +=
          sum > least ? between.largest + std::log(sum) : folded(laws, between.log_weights, memory, fold_logarithms);
    }
  });
  return sums;
}

std::vector<double> StackSums::free_energies(const Chains& rows, const Executor& executor) const {
  const LayerSet observed = stack_->machine(0).layout().observed();
  std::vector<double> energies = log_sums(0, stack_->rows_of_machine(0, observed, rows.real()), executor);
  for (double& e : energies) e = -e;
  return energies;
}

double StackSums::operations(const EnergyModel& model) {
  const StackedMachines& stack = *stacked_machines(model);
  const EnergyModel& machine = stack.machine(0);
  const Layout& layout = machine.layout();
  return 2.0 * machine.free_energy()->operations(layout.observed()) +
         2.0 * std::exp2(layout.log2_states(layout.latent()));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
