#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <harmonium/samplers/flip_the_state.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/metropolis.hpp>
#include <harmonium/tests/support/law.hpp>

/// The samplers that move single units, by their definitions.
namespace harmonium::testing {

/// The law of a unit's next state given the present one s, `weights` being those of its states given the other units.
using UnitLaw = std::function<Law(const Law& weights, std::size_t s)>;

inline Law gibbs_law(const Law& weights, std::size_t) {
  double z = 0.0;
  for (const double w : weights) z += w;
  Law next(weights);
  for (double& p : next) p /= z;
  return next;
}

inline Law lazy_metropolis_law(const Law& weights, std::size_t s, double rest_probability) {
  Law next(weights.size(), 0.0);
  next[s] = 1.0;
  for (std::size_t t = 0; t < weights.size(); ++t) {
    if (t == s) continue;
    const double p =
        (1.0 - rest_probability) * std::min(1.0, weights[t] / weights[s]) / static_cast<double>(weights.size() - 1);
    next[t] += p;
    next[s] -= p;
  }
  return next;
}
inline Law metropolis_law(const Law& weights, std::size_t s) { return lazy_metropolis_law(weights, s, 0.1); }

inline Law flip_law(const Law& weights, std::size_t s, double gibbs_probability) {
  double z = 0.0;
  for (const double w : weights) z += w;
  Law next(weights.size(), 0.0);
  next[s] = 1.0 - gibbs_probability;
  for (std::size_t t = 0; t < weights.size(); ++t) {
    next[t] += gibbs_probability * weights[t] / z;
    if (t == s) continue;
    // p(t)/(1 − p(s)) · min(1, (1 − p(s))/(1 − p(t)))
    const double p = (1.0 - gibbs_probability) * weights[t] / z *
                     std::min(1.0 / (1.0 - weights[s] / z), 1.0 / (1.0 - weights[t] / z));
    next[t] += p;
    next[s] -= p;
  }
  return next;
}

/// What becomes of `law` when unit u moves by `unit_law`, the energies of the states being `energy`.
inline Law moved(const Law& law, const std::vector<double>& energy, const StateSpace& space, std::size_t u,
                 const UnitLaw& unit_law) {
  Law next(law.size(), 0.0);
  const std::size_t stride = space.stride(u), states = space.states_of(u);
  for (std::size_t x = 0; x < law.size(); ++x) {
    const std::size_t digit = space.digit(x, u), first = x - digit * stride;
    Law weights(states);
    for (std::size_t k = 0; k < states; ++k) weights[k] = std::exp(energy[first] - energy[first + k * stride]);
    const Law of_unit = unit_law(weights, digit);
    for (std::size_t k = 0; k < states; ++k) next[first + k * stride] += law[x] * of_unit[k];
  }
  return next;
}

/// The same for every unit in order, `steps` times.
inline Law swept(Law law, const std::vector<double>& energy, const StateSpace& space, Index steps,
                 const UnitLaw& unit_law) {
  for (Index step = 0; step < steps; ++step)
    for (std::size_t u = 0; u < space.num_units(); ++u) law = moved(law, energy, space, u, unit_law);
  return law;
}

/// What tests hold the samplers of single units to with so many draws that 2 % of the fields show: five transitions, in
/// which the error of a kernel adds up.
struct FineTest {
  const char* name;
  std::function<std::unique_ptr<Sampler>()> make;
  UnitLaw law;  ///< of a systematic scan
};
inline constexpr Index fine_steps = 5, fine_draws = 1'000'000;
inline const std::vector<FineTest>& fine_tests() {
  static const std::vector<FineTest> all{
      {"metropolis", [] { return std::make_unique<Metropolis>(); }, metropolis_law},
      {"flip_the_state", [] { return std::make_unique<FlipTheState>(); },
       [](const Law& weights, std::size_t s) { return flip_law(weights, s, 0.1); }},
      {"flip_the_state, never by Gibbs",
       [] { return std::make_unique<FlipTheState>(FlipTheStateOptions{.gibbs_probability = 0.0}); },
       [](const Law& weights, std::size_t s) { return flip_law(weights, s, 0.0); }}};
  return all;
}

}  // namespace harmonium::testing
