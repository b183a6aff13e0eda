#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <harmonium/framework/diagnostics/accumulator.hpp>
#include <harmonium/framework/files/edge_list.hpp>
#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/models/layered.hpp>

/// Models of statistical physics with published or closed solutions, and what to measure on them.
namespace harmonium::testing {

/// Spins coupled by the edges of a graph, E = −sign Σ w s s.
std::unique_ptr<LayeredModel> spins_on(const EdgeList& graph, double sign = 1.0);
/// The same, whose couplings are known to be those of the edges alone: it holds no others.
std::unique_ptr<LayeredModel> sparse_spins_on(const EdgeList& graph, double sign = 1.0);
/// The two-dimensional Ising model on an L × L torus, L > 2: E = −Σ s s over the 2 L² edges.
std::unique_ptr<LayeredModel> ising_torus(Index side);
/// The Curie-Weiss model, E = −(Σs)²/2N + ½.
std::unique_ptr<LayeredModel> curie_weiss(Index n);
/// An RBM of bits, all weights w, visible biases b, hidden ones c.
std::unique_ptr<LayeredModel> uniform_rbm(Index num_visible, Index num_hidden, double w, double b, double c);

/// Rows of `logical` chains over the sampler's rungs, every unit uniform.
Chains uniform_start(const EnergyModel& model, const Sampler& sampler, Index logical);

/// What to measure on a row, given its energy.
using Measurement = std::function<double(const Chains& chains, Index row, double energy)>;

/// Runs the chains for `burn_in` and then `sweeps` transitions, and after each of these adds the mean over the logical
/// chains of every measurement at every rung: result[rung][measurement].
std::vector<std::vector<BinningAccumulator>> measure(const EnergyModel& model, Sampler& sampler, double beta,
                                                     Chains& chains, Index burn_in, Index sweeps,
                                                     const std::vector<Measurement>& what, int threads = 2);

/// Student's t of 63 degrees of freedom, those of the fewest bins, is beyond it with probability 1e-9, on both sides.
inline constexpr double student_limit = 7.2;

}  // namespace harmonium::testing
