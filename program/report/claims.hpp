#pragma once

#include <string>
#include <vector>

#include <harmonium/program/report/computed.hpp>

namespace harmonium {
inline namespace v1 {

/// How far something that a run says is to be believed.
enum class Belief { yes, care, no, unknown };

struct Claim {
  std::string about;  ///< "the likelihood"
  Belief belief = Belief::unknown;
  std::string why;                  ///< sentences
  std::vector<std::string> advice;  ///< what to do
};

/// In words, first of all, what a run is worth.
struct ReportVerdict {
  std::string headline;
  std::vector<Claim> claims;
};

/// What the run's own log and folder say: whether it ended, and whether its curves came to rest.
std::vector<Claim> claims_of_log(const RunRecord& record);
ReportVerdict verdict_of(const RunRecord& record, const Computed& computed);

}  // namespace v1
}  // namespace harmonium
