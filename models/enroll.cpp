#include <harmonium/models/enroll.hpp>

#include <harmonium/models/layered_options.hpp>
#include <harmonium/models/mixed.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/stack.hpp>
#include <harmonium/models/terms/bias.hpp>
#include <harmonium/models/terms/coupling.hpp>
#include <harmonium/models/terms/crystal_field.hpp>
#include <harmonium/models/terms/lateral.hpp>
#include <harmonium/models/terms/lattice.hpp>
#include <harmonium/models/terms/precision.hpp>
#include <harmonium/models/units/binary.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/gamma.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/levels.hpp>
#include <harmonium/models/units/poisson.hpp>
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

}  // namespace

void enroll_models(Registries& registries) {
  auto& units = registries.of<UnitType>();
  units.add_made<NoOptions>("binary", "0 or 1", make_unit<BinaryUnit>);
  units.add_made<NoOptions>("spin", "-1 or 1", make_unit<SpinUnit>);
  units.add_made<NoOptions>("gaussian", "a real number, normal given the other units", make_unit<GaussianUnit>);
  units.add_made<NoOptions>("poisson", "a count from 0 up, Poisson given the other units", make_unit<PoissonUnit>);
  units.add<ExponentialUnit>("exponential", "a number from 0 up, exponential given the other units");
  units.add<GammaUnit>("gamma", "a number above 0 of a gamma law given the other units");
  units.add<LevelsUnit>("levels", "-1, 0 or 1 (spin 1, Blume-Capel), or one of several equally spaced numbers");
  units.add<CategoricalUnit>("categorical", "one of several states, a column each (Potts, softmax)");

  auto& terms = registries.of<EnergyTerm>();
  terms.add<BiasTerm>(
      "bias",
      "- sum_i b_i x_i of a layer, or with one b for all units; every layer has one unless its 'bias' is false");
  terms.add<PrecisionTerm>("precision", "1/2 sum_i gamma_i x_i^2 of a layer; every layer of Gaussian units has one");
  terms.add<CrystalFieldTerm>("crystal_field",
                              "sum_i D_i x_i^2 of a layer; every layer of units of several levels has one");
  terms.add<CouplingTerm>("coupling", "- sum_ij w_ij x_i y_j of two layers");
  terms.add<LateralTerm>("lateral", "- sum_{i<j} w_ij x_i x_j of one layer; on a graph with a mask");
  terms.add<LatticeTerm>("lattice", "- sum_<ij> w_ij x_i x_j over the edges of a lattice, the units of one layer");

  auto& models = registries.of<EnergyModel>();
  models.add_made<LayeredOptions>(
      "layered", "any layers, and an energy that is the sum of any terms over them",
      [](LayeredOptions&& options) -> std::unique_ptr<EnergyModel> { return make_layered(std::move(options)); });
  models.add_preset<RbmOptions>(
      "rbm", "restricted Boltzmann machine: a visible and a hidden layer, coupled with each other only");
  models.add_preset<BoltzmannMachineOptions>(
      "boltzmann_machine", "general Boltzmann machine: couplings within the visible and the hidden layer too");
  models.add_preset<SemiRestrictedOptions>("semi_restricted",
                                           "an RBM whose visible units are coupled with one another too");
  models.add_preset<FullyVisibleOptions>("fully_visible",
                                         "no hidden units: Ising, Hopfield, Potts, the pairwise maximum-entropy model");
  models.add_preset<MixedOptions>(
      "mixed", "an RBM of several visible layers, each of units of its own kind: columns of different kinds");
  models.add_preset<DeepOptions>("deep", "deep Boltzmann machine: layers in a row, each coupled with the next");
  models.add<Stack>("stack", "deep belief network: machines trained one upon the other, the top one's law passed down");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
