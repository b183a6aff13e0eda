#pragma once

#include <vector>

#include <harmonium/framework/testing/law.hpp>

namespace harmonium::testing {
using namespace conformance;

/// Energies of all states, by loops over the tensors of the parameters: of biases and couplings only. The library's own
/// code has no part in them.
std::vector<double> energies(const EnergyModel& model, const StateSpace& space);

}  // namespace harmonium::testing
