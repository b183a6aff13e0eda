#pragma once

#include <optional>

#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/inference/held_state.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What `observe --clamp` holds; nothing where it is not given. Throws ConfigError as Clamp does, and for rows of a file and
/// LAYER=each, which hold other units, or others of their states, from chain to chain.
std::optional<HeldState> observed_clamp(const ObserveRequest& request, const ModelHeader& header, const Layout& layout);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
