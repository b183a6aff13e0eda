#pragma once

#include <optional>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/inference/mixing.hpp>
#include <harmonium/framework/inference/total_variation.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/findings.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// k: the steps of Gibbs chains that an update's negative phase starts from uniform draws; nothing where there are none.
std::optional<Index> steps_of_fresh_chains(const Value& config);

/// What is found of chains of a sampler of that name, with advice: what to change, and what a training of the configuration
/// `config` could know of the model. `sampler_table` has the sampler's options, every default written out. `tempered`: what a
/// command line says for chains that pass between modes; empty: nothing does. `apart`: how far their
/// draws are from the law, where that is known; beyond three times what as many independent draws are, chains that agree with each
/// other follow another one.
Diagnosis diagnosis_of(const MixingReport& report, const std::string& sampler, const Value& sampler_table,
                       const std::string& tempered, const Value& config, const std::optional<TotalVariation>& apart);

/// The verdict at the end of a run that makes `operations`: of Gibbs chains, for about a fiftieth of them, but at least
/// `least_steps`; and of how far their draws are from the law of a small model, where that costs no more. Nothing where the model
/// has no such chains.
std::optional<Diagnosis> verdict_of_run(const EnergyModel& model, const Dataset& train, double operations,
                                        const Value& config, const Registries& registries, const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
