#pragma once

#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Of an archive of several arrays (.npz) that is named alone: where it holds two, called as couplings and as fields are, such as J
/// and h, these are named in its place; fields that were named besides stay. Throws ConfigError, with all arrays and how to name
/// them, where it holds others.
void take_archive(ImportRequest& request);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
