// An energy that is a neural network, for continuous data.
#include <harmonium/framework/plugin/plugin.hpp>

#include "neural_energy.hpp"

using namespace harmonium;

namespace {

void enroll(Registries& registries) {
  registries.of<EnergyModel>().add<NeuralEnergy>("neural",
                                                 "a perceptron of several layers as energy, for continuous data");
}

}  // namespace

HARMONIUM_PLUGIN("neural", "0.1.0", "an energy that is a neural network", enroll);
