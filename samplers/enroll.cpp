#include <harmonium/samplers/enroll.hpp>

#include <harmonium/samplers/exact.hpp>
#include <harmonium/samplers/flip_the_state.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/hmc.hpp>
#include <harmonium/samplers/langevin.hpp>
#include <harmonium/samplers/locally_balanced.hpp>
#include <harmonium/samplers/metropolis.hpp>
#include <harmonium/samplers/parallel_tempering.hpp>
#include <harmonium/samplers/swendsen_wang.hpp>
#include <harmonium/samplers/tempered_transitions.hpp>
#include <harmonium/samplers/top_down.hpp>
#include <harmonium/samplers/trajectory_tempering.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void enroll_samplers(Registries& registries) {
  auto& samplers = registries.of<Sampler>();
  samplers.add<Gibbs>("gibbs", "redraws each layer from its exact conditional, in turn");
  samplers.add<FlipTheState>("flip_the_state", "proposes another state of each discrete unit by its conditional");
  samplers.add<Metropolis>("metropolis", "proposes another value of each unit, drawn without regard to the model");
  samplers.add<Langevin>("langevin", "moves continuous layers down the slope of the energy, with noise");
  samplers.add<Hmc>("hmc", "Hamiltonian Monte Carlo of continuous layers, step and path adapted");
  samplers.add<LocallyBalanced>("locally_balanced", "moves discrete units by the ratios of all neighbors of a row");
  samplers.add<SwendsenWang>("swendsen_wang", "turns over clusters of bonded units as wholes, in models of pairs");
  samplers.add<Exact>("exact", "independent draws from the enumerated law of a small model");
  samplers.add<ParallelTempering>("parallel_tempering", "exchanges states between chains at a ladder of temperatures");
  samplers.add<TrajectoryTempering>("trajectory_tempering",
                                    "exchanges states between chains at the machines of a training's trajectory");
  samplers.add<TemperedTransitions>("tempered_transitions",
                                    "proposes what an annealing to high temperatures and back leads to");
  samplers.add<TopDown>("top_down", "of a stack: moves the top machine, and draws the layers below from it");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
