// A run whose batches and chains are cut into shards.
#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/framework/run/sections.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void Experiment::cut_into_shards(const Value& config, const Registries& registries) {
  const Value* training = config.find("training");
  const Value* written = training ? training->find("shards") : nullptr;
  if (ranks_.size() > training_.shards)
    throw ConfigError(fmt::format(
        "{}'shards' is {}, and {} ranks share a run by whole shards. Set training.shards to {} or a multiple of it, or "
        "start fewer ranks.",
        written ? written_at(*written) : "training: ", training_.shards, ranks_.size(), ranks_.size()));
  ShardSum shards(training_.shards, ranks_);
  std::vector<std::unique_ptr<GradientEstimator>> estimators;
  estimators.push_back(std::move(estimator_));
  while (estimators.size() < shards.last() - shards.first()) {
    Value effective;
    estimators.push_back(registries.make<GradientEstimator>(section(config, "estimator", "", ""), effective));
  }
  auto cut = std::make_unique<ShardedGradient>(std::move(estimators), std::move(shards));
  shards_ = cut.get();
  estimator_ = std::move(cut);
}

void Experiment::check_shards(const Value& config) const {
  if (!shards_) return;
  const Value* written = config.find("training");
  const Index rows = data_->train.rows(), batch = *training_.batch_size, last = rows % batch;
  const Index fewest = last == 0 || rows < batch ? batch : last;
  if (fewest >= training_.shards) return;
  throw ConfigError(fmt::format(
      "{}'shards' is {}, and the {} batch of an epoch has {} rows ('batch_size' {}, {} rows of data): each shard needs "
      "one at least. Lower shards, or set another batch_size.",
      written ? written_at(*written) : "training: ", training_.shards, fewest == batch ? "smallest" : "last", fewest,
      batch, rows));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
