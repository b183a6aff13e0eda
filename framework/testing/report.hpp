#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace harmonium {
inline namespace v1 {

enum class CheckOutcome : std::uint8_t { passed, failed, noted, skipped };

/// What one check of a component came to. `noted`: worth knowing, and no fault.
struct CheckResult {
  CheckOutcome outcome = CheckOutcome::passed;
  std::string subject;  ///< "model 'ring'"
  std::string check;    ///< "energy against gradient"
  std::string words;    ///< what was compared, and by how much it differs
};

/// The results of checks in their order, those of one subject together.
class CheckReport {
 public:
  void subject(std::string name) { subject_ = std::move(name); }
  void add(CheckOutcome outcome, std::string check, std::string words) {
    results_.push_back({outcome, subject_, std::move(check), std::move(words)});
  }
  /// Failed with `complaint`, or, where that is empty, passed with `words`.
  void judge(std::string check, const std::string& complaint, std::string words) {
    if (complaint.empty()) add(CheckOutcome::passed, std::move(check), std::move(words));
    else add(CheckOutcome::failed, std::move(check), complaint);
  }
  void skip(std::string check, std::string why) { add(CheckOutcome::skipped, std::move(check), std::move(why)); }

  const std::vector<CheckResult>& results() const { return results_; }
  bool failed() const {
    for (const CheckResult& r : results_)
      if (r.outcome == CheckOutcome::failed) return true;
    return false;
  }

 private:
  std::string subject_;
  std::vector<CheckResult> results_;
};

}  // namespace v1
}  // namespace harmonium
