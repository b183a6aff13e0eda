#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/data/dataset.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Sentences on letters of data.alphabet that no sequence of the data has, with what to set: bases that were read as amino acids, and a
/// gap, whose parameters have no finite optimum. `config` is that of the run; none of other data than sequences.
std::vector<std::string> sequence_remarks(const Dataset& data, const Value& config);

/// " Set data.alphabet = ..., without the gap ...", where no sequence has one; else empty.
std::string advice_without_gaps(const Dataset& data, const Value& config);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
