#include <harmonium/models/enroll.hpp>

#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/binary.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

struct NoOptions {
  void bind(OptionBinder&) {}
};

template <class Unit>
std::unique_ptr<UnitType> make_unit(NoOptions&&) {
  return std::make_unique<Unit>();
}

/// A function that makes a model, as one that makes the interface.
template <auto make, class Options>
std::unique_ptr<EnergyModel> make_model(Options&& options) {
  return make(std::forward<Options>(options));
}

}  // namespace

void enroll_models(Registries& registries) {
  auto& units = registries.of<UnitType>();
  units.add_made<NoOptions>("binary", "0 or 1", make_unit<BinaryUnit>);
  units.add_made<NoOptions>("spin", "-1 or 1", make_unit<SpinUnit>);
  units.add_made<NoOptions>("gaussian", "a real number, normal given the other units", make_unit<GaussianUnit>);
  units.add<CategoricalUnit>("categorical", "one of several states, a column each (Potts, softmax)");

  auto& models = registries.of<EnergyModel>();
  models.add_made<RbmOptions>(
      "rbm", "restricted Boltzmann machine: a visible and a hidden layer, coupled with each other only",
      make_model<make_rbm, RbmOptions>);
  models.add_made<BoltzmannMachineOptions>(
      "boltzmann_machine", "general Boltzmann machine: couplings within the visible and the hidden layer too",
      make_model<make_boltzmann_machine, BoltzmannMachineOptions>);
  models.add_made<RbmOptions>("semi_restricted", "an RBM whose visible units are coupled with one another too",
                              make_model<make_semi_restricted, RbmOptions>);
  models.add_made<FullyVisibleOptions>("fully_visible",
                                       "no hidden units: Ising, Hopfield, Potts, the pairwise maximum-entropy model",
                                       make_model<make_fully_visible, FullyVisibleOptions>);
  models.add_made<DeepOptions>("deep", "deep Boltzmann machine: layers in a row, each coupled with the next",
                               make_model<make_deep, DeepOptions>);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
