#include <harmonium/program/work/failing_signs.hpp>

#include <algorithm>

#include <harmonium/framework/inference/flip_symmetry.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Of Observables all but the energy are sums of units times weights, which a flip takes to the other side of their mean.
bool is_even(const ObservableMixing& o) { return o.name == "energy"; }

}  // namespace

std::string words_on_signs(const EnergyModel& model, const MixingReport& report, const Diagnosis& found) {
  // The law of small models is of everything.
  if (found.mixed || found.why != report.why) return "";
  if (std::ranges::any_of(report.observables, [](const auto& o) { return o.fails && is_even(o); })) return "";
  if (flip_symmetry_of(model) != FlipSymmetry::exact) return "";
  if (model.layout().layers().front().unit->width() > 1)
    return "The model is the same when the states of all sites are permuted alike, and what fails is changed by that: "
           "it may wait for which state the order is in, and for nothing else. 'harmonium observe' judges averages "
           "that do not need it.";
  return "The model is the same when all spins flip, and what fails is odd under that: it may wait for the sign alone. "
         "'harmonium observe' judges averages that do not need it.";
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
