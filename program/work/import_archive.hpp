#pragma once

#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/edge_arrays.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Of an archive of several arrays (.npz) that is named alone: where it holds two, called as couplings and as fields are, such as J
/// and h, these are named in its place; fields that were named besides stay. Edges are returned where an array is called so: of N x 2
/// nodes, beside N couplings, or of N x 3, with fields or without. Throws ConfigError, with all arrays and how to name
/// them, where it holds others, and where other arrays or a configuration beside the couplings say that these are of no spins.
/// Warns where the archive has numbers that may be the fields, and none were named.
EdgeArrays take_archive(ImportRequest& request, const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
