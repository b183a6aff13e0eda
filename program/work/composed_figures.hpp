#pragma once

#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/program/work/evaluation_reasons.hpp>
#include <harmonium/program/work/findings.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Throws ConfigError where a β so large, or a model so extreme, makes numbers overflow: no figure of it could be trusted, so none is given.
void check_finite(const Evaluation& result, double beta);
/// What the estimate says of log Z; the figure itself only where its ways agree.
void take_log_z(const LogPartitionEstimate& found, Evaluation& result, Absent& absent);
/// The same of the sums over what was not seen of rows.
void take_rows(const LogPartitionEstimate& found, Evaluation& result, Absent& absent);
/// One more piece of advice; nothing where it is empty.
void add_advice(const std::string& words, Evaluation& result);
/// log p(x) = −F(x) − log Z, and its interval from those of both.
void compose_likelihood(Evaluation& result);
/// `sums` − log Z, where `sums` is a lower bound of −F with a standard error, and its interval from those of both.
void compose_bound(double sums, double error, Evaluation& result);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
