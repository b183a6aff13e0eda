#pragma once

#include <vector>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The coupling J of two units in the zero-sum gauge, and what their fields take over of it: for all states a and b
///   J(a, b) = coupling(a, b) + row(a) + column(b) + a constant,
/// where the coupling sums to zero over the states of either unit. A unit of one column x has no states to sum over: the
/// coupling J(a) x sums to zero over a, and the mean that it loses is x's field.
struct ZeroSum {
  std::vector<double> coupling;     ///< rows × columns of J
  std::vector<double> row, column;  ///< what is added to the fields of the two units
};

/// Of two units of several states J(a, b) − J(·, b) − J(a, ·) + J(·, ·), a dot being the mean over states (Ekeberg et al. 2013): of
/// all couplings of the same law that of the smallest Frobenius norm.
ZeroSum zero_sum(ConstMatrixRef coupling);

/// Whether the columns of a unit are its states, just one of which is 1: only then may a number for all of them move from couplings
/// to fields.
bool has_gauge(const UnitType& unit);

/// Brings couplings and biases of units that have a gauge into the zero-sum one: the same law of all units, whose energies have all
/// changed by one constant. Couplings by edges, w δ(a, b), are as they were: they differ from that gauge by a constant.
/// Throws CapabilityError, and leaves the model as it was, where a layer has no biases for what its fields take over, or where an
/// entry that a mask leaves out would not be 0. The energy must be a sum of what the roles of its tensors say.
void set_zero_sum_gauge(EnergyModel& model);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
