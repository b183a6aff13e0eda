#pragma once

#include <string>
#include <vector>

#include <harmonium/program/paired_difference.hpp>

namespace harmonium {
inline namespace v1 {

/// Of each model the variational bound where it has one, else its log likelihood, and the difference, of which log Z and the draws of
/// bounds make an interval. Where both are known row by row there is an error over rows. Nothing where neither model has a bound, or one
/// has no figure; `why_not` says which then.
std::optional<PairedFigure> paired_bound(const JudgedModel& one, const JudgedModel& other, const PairedLogZ& log_z,
                                         std::string& why_not);

/// −F(x) of each row in the data's own units: log p(x) + log Z. NaN where it is not known.
std::vector<double> log_sums(const JudgedRows& rows);
/// What varies of it from row to row, in the data's own units: log p(x) + log Z, or its lower bound where the model has one; empty where
/// these are not known of all rows.
std::vector<double> log_sums_or_bounds(const JudgedModel& model);

/// What it says of the likelihoods of both.
std::string words_on_bound(const PairedFigure& bound, const std::string& one, const std::string& other);

}  // namespace v1
}  // namespace harmonium
