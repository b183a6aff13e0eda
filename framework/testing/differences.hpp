#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// Draws every parameter from [−spread, spread], as a multiple of 1/256 so that it is the same number in both precisions
/// and differences of θ are exact. Throws NumericalError where such parameters define no density.
void randomize(EnergyModel& model, std::uint64_t seed, double spread = 1.0);

/// The free parameters of a model: entries of θ that move together (the two of a symmetric pair), none of a block's own
/// fixed zeros.
std::vector<std::vector<Index>> free_parameters(const EnergyModel& model);

/// Moves the entries `entries` of θ by `by`.
void move(EnergyModel& model, const std::vector<Index>& entries, double by);

/// The derivative of `f`, which reads the model, by θ's `entries`: central differences of fourth order,
///   [8 (f(h) − f(−h)) − (f(2h) − f(−2h))] / 12h,
/// exact but for rounding where f is linear in θ, else with an error of h⁴/30 of the fifth derivative. `f` returns
/// several numbers at once.
std::vector<double> derivative(EnergyModel& model, const std::vector<Index>& entries, double h,
                               const std::function<std::vector<double>()>& f);

/// `num_rows` configurations, each unit drawn from the widest law of its kind.
Chains random_rows(const Layout& layout, Index num_rows, std::uint64_t seed);

/// What rounding errors of an energy go by: the largest value in `rows`, at least 1, and 1 + Σ|θ|.
double largest_value(const Layout& layout, const Chains& rows);
double size_of_parameters(const EnergyModel& model);

/// `num` numbers from [−1, 1], multiples of 1/64.
std::vector<double> random_weights(Index num, std::uint64_t seed);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
