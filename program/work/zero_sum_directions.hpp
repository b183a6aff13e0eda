#pragma once

#include <utility>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/program/work/pairwise_moments.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A direction in the space of a model's numbers (own_numbers): which move, and by how much.
using Direction = std::vector<std::pair<Index, double>>;

/// Each number by itself.
std::vector<Direction> each_alone(Index numbers);

/// Whether couplings and biases of units whose columns are their states are among the numbers: the same law has many of them.
bool have_gauge(const EnergyModel& model, const std::vector<Places>& numbers);

/// An orthonormal basis of the parameters in the zero-sum gauge (Ekeberg et al. 2013): with V the q × (q − 1) contrasts of a
/// unit's q states, VᵀV = 1 and Vᵀ1 = 0, columns of V for the biases of a unit and of V ⊗ V for the couplings of two. Numbers
/// without a gauge are by themselves. Throws CapabilityError where a layer has no biases for what its fields take over, or where a
/// mask leaves out some couplings of two units.
std::vector<Direction> zero_sum_directions(const EnergyModel& model, const std::vector<Places>& numbers);

/// A quadratic form of the numbers along directions: BᵀMB.
Matrix<double> along(const std::vector<Direction>& directions, const Matrix<double>& of_numbers);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
