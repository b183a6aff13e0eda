#pragma once

#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Of an archive of several arrays (.npz) that is named alone: where it holds one of couplings by its name, such as J, and at most one
/// other, of fields, such as h, these are named in its place. Throws ConfigError, with all arrays and how to name them, where it
/// holds others.
void take_archive(ImportRequest& request);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
