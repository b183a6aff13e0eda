#pragma once

#include <string>
#include <vector>

#include <harmonium/program/log_z_difference.hpp>
#include <harmonium/program/paired_evaluation.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace v1 {

/// Whether the command line names no rows, and neither model says which it was trained on: there is log Z to compare, and nothing else.
bool have_no_rows(const EvaluateRequest& request, const std::string& other_model);
/// The one of the two that says which data it was trained on, where the command line names none and the other does not; else empty.
std::string only_one_with_rows(const EvaluateRequest& request, const std::string& other_model);
/// Finds both, each at its inverse temperature of `names`; the models may be of different precisions.
PairedLogZ evaluate_log_z(const EvaluateRequest& request, const std::string& other_model, const PairedNames& names);

/// The advice on both, each with the name of its model.
std::vector<std::string> advice_of(const PairedLogZ& found, const PairedNames& names);
std::string paired_log_z_text(const PairedLogZ& found, const PairedNames& names);
/// The figures alone, as an object of JSON.
std::string log_z_object(const PairedLogZ& found);
std::string paired_log_z_json(const PairedLogZ& found, const PairedNames& names);

}  // namespace v1
}  // namespace harmonium
