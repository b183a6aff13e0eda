#pragma once

#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/framework/testing/report.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// Holds an estimate of log Z to the sum over all states, at three temperatures: within rounding where it is said to be
/// exact, else within its standard error (two-sided normal, false alarm of chi_square.hpp); and to the same bits on any
/// number of threads. A ground state that it brings has the energy that it tells.
void check_log_partition(const LogPartition& log_partition, const EnergyModel& model, CheckReport& report);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
