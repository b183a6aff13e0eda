#pragma once

#include <algorithm>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium::testing {

/// Whether all units have states that can be counted.
inline bool discrete(const EnergyModel& model) {
  return std::ranges::all_of(model.layout().layers(), [](const Layer& l) { return l.unit->num_states() > 0; });
}

}  // namespace harmonium::testing
