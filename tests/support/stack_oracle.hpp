#pragma once

#include <cmath>
#include <vector>

#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace harmonium::testing {

/// The machines of a stack, each with its loops: what follows from the definition of its law and of Q.
struct StackOracle {
  using State = Oracle::State;

  explicit StackOracle(const EnergyModel& stack)
      : machines(*stacked_machines(stack)), layout(stack.layout()), all(stack) {
    for (Index k = 0; k < machines.num_machines(); ++k) {
      each.emplace_back(machines.machine(k));
      upward.emplace_back(machines.recognition(k));
    }
  }
  /// The state of machine k in one of the stack.
  State part(Index k, const State& x) const {
    State own(each[k].columns());
    for (const LayerId l : each[k].layout().ids())
      for (Index c = 0; c < each[k].layout()[l].columns(); ++c)
        own[each[k].first(l) + c] = x[all.first(machines.layer_of(k, l)) + c];
    return own;
  }
  /// log p_k of the observed units given the latent ones, and log q_k of the latent ones given those.
  double log_down(Index k, const State& x) const {
    const State own = part(k, x);
    return -each[k].energy(own) - each[k].log_sum(each[k].layout().observed(), own);
  }
  double log_up(Index k, const State& x) const {
    const State own = part(k, x);
    return -upward[k].energy(own) - upward[k].log_sum(upward[k].layout().latent(), own);
  }
  Index top() const { return each.size() - 1; }
  /// Σ_{k<L} of both.
  double log_down(const State& x) const {
    double sum = 0.0;
    for (Index k = 0; k < top(); ++k) sum += log_down(k, x);
    return sum;
  }
  double log_up(const State& x) const {
    double sum = 0.0;
    for (Index k = 0; k < top(); ++k) sum += log_up(k, x);
    return sum;
  }
  /// log of the joint law, by its definition, log Z of the top machine left out.
  double log_joint(const State& x) const { return log_down(x) - each[top()].energy(part(top(), x)); }
  /// All layers but the latent ones of the top machine.
  LayerSet below_top() const { return layout.all() - machines.layers_of(top(), each[top()].layout().latent()); }
  /// F_L of the top machine.
  double top_free_energy(const State& x) const {
    return each[top()].free_energy(each[top()].layout().observed(), part(top(), x));
  }

  const StackedMachines& machines;
  const Layout& layout;
  Oracle all;  ///< for its loops over states alone
  std::vector<Oracle> each, upward;
};

}  // namespace harmonium::testing
