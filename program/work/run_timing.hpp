#pragma once

#include <string>

#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/program/work/findings.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// How long a run will take, from its first updates, made for about a second, and from what its observers measure once: lines that
/// say updates a second, an epoch of them, the whole run and what is measuring of it, and what they are an estimate from. One update
/// is made, however long it takes. Nothing is written; `experiment` is no longer at the beginning of its run then.
std::string timing_text(Experiment& experiment, const Executor& executor);

/// The seconds that all updates of a run take, by first ones that are made for a tenth of a second, at least one. Throws what these
/// throw.
double seconds_of_updates(Experiment& experiment, const Executor& executor);

/// The seconds that a run takes, by the same first updates, and by one time each of what it measures, draws and finds at its end,
/// on the model that these updates have led to. What would come when more than ten seconds have gone on one of these is left out.
/// Throws what the updates throw.
RunSeconds seconds_of(Experiment& experiment, const Registries& registries, const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
