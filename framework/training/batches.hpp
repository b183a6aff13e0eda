#pragma once

#include <optional>
#include <vector>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/execution/shard.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Rows [first, first + count) of a data set, as the observed layers of a batch of configurations.
Chains rows_of(const Dataset& data, const Layout& layout, Index first, Index count, std::uint64_t epoch);
Chains rows_of(const Dataset& data, const Layout& layout, std::span<const Index> which, std::uint64_t epoch);
/// The observed units that were seen in these rows: of a unit of several columns, all of them.
HeldMask seen_of(const Dataset& data, const Layout& layout, std::span<const Index> rows);
HeldMask seen_of(const Dataset& data, const Layout& layout, Index first, Index count);
/// At most `most` rows of a data set, evenly spread over it; all of them where it is 0.
std::vector<Index> spread(const Dataset& data, Index most);
Chains spread_rows(const Dataset& data, const Layout& layout, Index most, std::uint64_t epoch);

/// What an estimator begins with. It refers to both.
DataOutline outline_of(const Dataset& data, const Layout& layout);

/// The minibatches of a data set, in an order that is a function of (seed, epoch) only.
class Batches {
 public:
  /// Throws ConfigError, without a place, where the batch is larger than the data.
  Batches(const Dataset& data, const Layout& layout, Index batch_size, const RandomSource& random);

  /// From now on only the rows of the shards [first, last) of `count` are read; what a batch holds of the others, their
  /// places in the data included, has no meaning. Their weights have.
  void read_only(Index first, Index last, Index count);

  Index batches_per_epoch() const { return (data_->rows() + batch_size_ - 1) / batch_size_; }
  /// Batch `i` of `epoch` (the last one of an epoch may be smaller). Valid until the next call.
  DataBatch batch(std::uint64_t epoch, Index i, const Executor& executor = Executor(1));
  std::span<const double> marginals() const { return marginals_; }

 private:
  const Dataset* data_;
  const Layout* layout_;
  Index batch_size_;
  RandomSource random_;
  Shard first_, last_;  ///< that are read
  double mean_weight_ = 1.0;
  std::vector<double> marginals_;
  Chains rows_;
  std::vector<double> weights_;
  std::vector<Index> which_;
  std::optional<HeldMask> seen_;  ///< only of data with missing entries
  std::vector<Real> values_;
  Posterior posterior_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
