#pragma once

#include <string>

#include <harmonium/framework/inference/thermal_averages.hpp>
#include <harmonium/program/work/observation.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The layer that --layer names; where it names none the first that is observed. Throws ConfigError where there is no such layer.
LayerId observed_layer(const std::string& name, const Layout& layout);

ObservedNumber number_of(const ThermalAverage& average);
ObservedTemperature figures_of(const ThermalAverages& found, const LayerObservables& what);

/// What the model has: its units, those of the layer, and its pairs.
void tell_of_layer(const EnergyModel& model, const LayerObservables& what, Observation& found);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
