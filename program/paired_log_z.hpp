#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/program/paired_evaluation.hpp>
#include <harmonium/program/work/findings.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace v1 {

/// log Z of two models at one inverse temperature, and log Z_one − log Z_other. A figure that its ways do not agree on is absent, and
/// so is the difference then. Intervals are at 95 %; both ends are the figure where it is exact.
struct PairedLogZ {
  std::optional<double> one = {}, other = {}, difference = {};
  std::optional<Interval> one_interval = {}, other_interval = {}, interval = {};
  std::string why_not_one = {}, why_not_other = {};  ///< of what is absent
  std::string advice_one = {}, advice_other = {};    ///< what may settle it (Evaluation)

  bool exact() const { return interval && interval->low == interval->high; }
};

/// Of what was found of each of two models alone, by random numbers of their own.
PairedLogZ paired_log_z(const Evaluation& one, const Evaluation& other);

/// Whether the command line names no rows, and neither model says which it was trained on: there is log Z to compare, and nothing else.
bool have_no_rows(const EvaluateRequest& request, const std::string& other_model);
/// Finds both; the models may be of different precisions.
PairedLogZ evaluate_log_z(const EvaluateRequest& request, const std::string& other_model, const PairedNames& names);

/// The advice on both, each with the name of its model.
std::vector<std::string> advice_of(const PairedLogZ& found, const PairedNames& names);
std::string paired_log_z_text(const PairedLogZ& found, const PairedNames& names);
/// The figures alone, as an object of JSON.
std::string log_z_object(const PairedLogZ& found);
std::string paired_log_z_json(const PairedLogZ& found, const PairedNames& names);

}  // namespace v1
}  // namespace harmonium
