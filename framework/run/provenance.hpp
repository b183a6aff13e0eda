#pragma once

#include <string>
#include <utility>
#include <vector>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What made a result: version, revision, compiler, BLAS and instruction set, as pairs of name and words.
std::vector<std::pair<std::string, std::string>> provenance();

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
