#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The inverse temperatures that `--betas` names, descending: "FIRST:LAST:COUNT", evenly spaced with both ends, or numbers with
/// commas between. Throws ConfigError for what is neither, for numbers below 0 and for one that is given twice.
std::vector<double> read_betas(const std::string& text);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
