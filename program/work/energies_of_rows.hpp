#pragma once

#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/program/work/certified_rows.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The draws of an estimate, for another model to read.
CertifiedRows rows_of(const CertifiedDraws& draws, const EnergyModel& model);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
