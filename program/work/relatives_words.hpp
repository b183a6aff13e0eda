#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/data/dataset.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// For how many sequences those of `train` count, M_eff = Σ w, and what is odd about that: a sentence each. Nothing where
/// `data`, the effective [data], does not `reweight` them.
std::vector<std::string> relatives_words(const Value& data, const Dataset& train);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
