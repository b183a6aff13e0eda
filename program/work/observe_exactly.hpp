#pragma once

#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/observation.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// `observe --exact`: the averages by a sum over all states. Throws ConfigError for options that are of chains, for continuous
/// units other than Gaussian ones beside units of states, for --layer of Gaussian ones, and for a model of too many states.
Observation observe_exactly(const ObserveRequest& request, const Registries& builtin);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
