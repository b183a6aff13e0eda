#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What a shard's estimate came to, the weight of its rows, and their number.
struct ShardReport {
  GradientEstimator::Report report;
  double weight = 0.0;
  Index rows = 0;
};

/// The reports of a rank's shards as bytes for rank 0. The base distribution of a ladder is not among them.
std::vector<std::byte> to_bytes(const std::vector<ShardReport>& reports);
std::vector<ShardReport> reports_of(std::span<const std::byte> bytes);
/// The report of the whole batch: counts and losses are added up, figures weighed by their rows, in the order of the shards.
/// Where no row weighs anything, all count alike.
GradientEstimator::Report merged(const std::vector<ShardReport>& reports);

/// Saved fields as bytes for rank 0, and back.
std::vector<std::byte> to_bytes(const StateArchive::Fields& fields);
StateArchive::Fields fields_of(std::span<const std::byte> bytes);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
