#pragma once

#include <string>

#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/program/work/findings.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

inline constexpr const char* bound_was_asked = "the bound alone was asked for (--bound).";

/// What is said of figures that are absent.
struct Absent {
  std::string log_z, free_energy, energy;  ///< why they are
  std::string no_data = "no data was given. Add --data FILE.";
  bool labels = false;        ///< whether the model classifies
  bool stack_labels = false;  ///< whether it is a stack whose first machine does
  bool probability = true;    ///< whether the data's values are states of their units
  bool whole = true;          ///< whether no entry of the data is missing
  bool no_classes_seen = false;
  bool no_sums = false;  ///< whether those of rows were left out for their bound
};

/// What an estimate that its ways do not agree on says all the same, of log Z or (`sign` −1) of minus that.
std::string disagreement(const LogPartitionEstimate& found, double sign);

/// Why each figure that is absent is, and what would give it.
void give_reasons(Evaluation& result, const Absent& absent);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
