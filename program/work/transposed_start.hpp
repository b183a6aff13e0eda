#pragma once

#include <string>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Writes to `path` the RBM that is `below` turned over: its observed units are the latent ones of `below`, its latent units
/// the observed ones, with the couplings and biases of `below`. A stack of both has the likelihood of `below` alone, and no
/// gap between that and its bound (Hinton, Osindero & Teh 2006, section 4). `next`: the table [model] of the machine that is
/// to start so. False, and nothing is written, where it cannot: it is no RBM, has fewer latent units than `below` observes or
/// units of another kind, or `below` has other tensors than an RBM.
bool write_transposed_start(const EnergyModel& below, const Value& config_below, const Value& next,
                            const std::string& path, const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
