#pragma once

#include <string>

#include <harmonium/program/work/findings.hpp>

namespace harmonium {
inline namespace v1 {

/// Whether anything is known of the likelihood of these rows by a stack or by its first machine, be it what was measured alone.
bool any_figure(const Evaluation& e);

/// Lines, in the form of `evaluate`: the first machine alone, the stack and its variational bound, as far as each is known, a column a
/// part of the data, in nats a row. Intervals stand below, and what is not known. What has no first machine has its likelihood, or else a
/// bound. Empty where there is no figure.
std::string outcome_table(const Evaluations& all);

}  // namespace v1
}  // namespace harmonium
