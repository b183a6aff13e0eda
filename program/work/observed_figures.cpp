#include <harmonium/program/work/observed_figures.hpp>

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/exact_averages.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

namespace {

/// Whether a unit is 0 or 1.
bool is_of_bits(const UnitType& unit) {
  const UnitStates states(unit);
  return states[0][0] == Real(0) && states[1][0] == Real(1);
}

}  // namespace

LayerId observed_layer(const std::string& name, const Layout& layout) {
  if (name.empty()) return layout.ids(layout.observed()).front();
  for (const LayerId l : layout.ids())
    if (layout[l].name == name) return l;
  std::string names;
  for (const Layer& l : layout.layers()) names += (names.empty() ? "" : ", ") + l.name;
  throw ConfigError(fmt::format("--layer {}: the model has no such layer. Its layers: {}.", name, names));
}

ObservedNumber number_of(const ThermalAverage& average) {
  return {average.name,  average.value,       average.error, average.time,
          average.r_hat, average.long_enough, average.odd,   average.windowed_time};
}

ObservedTemperature figures_of(const ThermalAverages& found, const LayerObservables& what) {
  ObservedTemperature t{.beta = found.beta, .numbers = {}, .overlaps = {}};
  std::ranges::transform(found.averages, std::back_inserter(t.numbers), number_of);
  for (Index k = 0; k < found.correlations.size(); ++k)
    t.correlations.push_back({what.distances()[k].axis, what.distances()[k].sites, number_of(found.correlations[k])});
  for (const OverlapShare& o : found.overlaps)
    t.overlaps.push_back({o.low, o.high, o.share, o.error, o.width, o.long_enough});
  return t;
}

void tell_of_layer(const EnergyModel& model, const LayerObservables& what, Observation& found) {
  const Layout& layout = model.layout();
  constexpr const char* kinds[] = {"spins", "numbers", "sites"};
  found.num_all_units = num_all_units(layout);
  found.num_units = what.num_units();
  found.num_pairs = what.num_pairs();
  found.flips = found.clamp.empty() && flip_symmetry_of(model) == FlipSymmetry::exact;
  found.checkerboard = what.couples_checkerboard();
  found.layer = layout[what.layer()].name;
  found.units = what.magnetizations() ? "spins" : kinds[static_cast<Index>(what.kind())];
  found.spins_of_bits = what.kind() == LayerObservables::Kind::spins && is_of_bits(*layout[what.layer()].unit);
  found.few_states =
      layout[what.layer()].unit->num_states() > 0 && StateSum::log2_states(model, what.layer()) <= StateSum::most_bits;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
