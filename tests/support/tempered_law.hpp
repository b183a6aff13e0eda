#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <harmonium/models/layered.hpp>
#include <harmonium/tests/support/law.hpp>

namespace harmonium::testing {

/// A model, and a ladder of one or two temperatures above its own: so few that the law which a tempered transition leaves
/// can be added up, path by path.
struct TemperedCase {
  const char* name;
  std::function<std::unique_ptr<LayeredModel>()> make;
  Index num_temperatures;
  double lowest_beta;
  Index draws;
};
/// Cases in which a tempered transition over Gibbs sampling with the forward scan for its own reversal leaves another law,
/// by so much that it passes the exact-start test of `draws` chains with probability below 1e-9 (tests/controls).
const std::vector<TemperedCase>& tempered_cases();

/// β above the target's 1, those of TemperedTransitions.
std::vector<double> tempered_betas(const TemperedCase& c);

/// A transition matrix at each temperature: row s is the law after s.
using Matrices = std::vector<std::vector<Law>>;

/// A scan over all units in their order, or in the opposite one, at each of `betas`.
Matrices scans(std::span<const double> energy, const StateSpace& space, std::span<const double> betas);
Matrices backward_scans(std::span<const double> energy, const StateSpace& space, std::span<const double> betas);

/// What a tempered transition leaves of the law at β = 1: up by `up`, down by `down`, at one or two β below 1.
Law tempered_law(std::span<const double> energy, std::span<const double> betas, const Matrices& up,
                 const Matrices& down);

}  // namespace harmonium::testing
