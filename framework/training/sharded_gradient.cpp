#include <harmonium/framework/training/sharded_gradient.hpp>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

ShardedGradient::ShardedGradient(std::vector<std::unique_ptr<GradientEstimator>> estimators, ShardSum shards)
    : estimators_(std::move(estimators)), shards_(std::move(shards)), parts_(estimators_.size()) {
  for (const auto& estimator : estimators_) {
    cut_.push_back(dynamic_cast<ShardEstimator*>(estimator.get()));
    if (!cut_.back())
      throw CapabilityError(
          "the estimator does not work on a part of the rows and chains. Set training.shards = 1, or take another "
          "estimator.");
  }
}

void ShardedGradient::check(const EnergyModel& model) const {
  for (Index k = 0; k < cut_.size(); ++k) {
    estimators_[k]->check(model);
    cut_[k]->take(model, {shards_.first() + k, shards_.shards()});
  }
}

void ShardedGradient::begin(const EnergyModel& model, const DataOutline& data) {
  for (Index k = 0; k < cut_.size(); ++k) {
    estimators_[k]->begin(model, data);
    if (k > 0) cut_[k]->join(*cut_.front());
  }
}

void ShardedGradient::start(const EnergyModel& model, const Execution& execution) {
  for (const auto& estimator : estimators_) estimator->start(model, execution);
}

bool ShardedGradient::burn_in(Index steps) {
  bool any = false;
  for (const auto& estimator : estimators_)
    if (auto* chains = dynamic_cast<BurnsIn*>(estimator.get())) any = chains->burn_in(steps) || any;
  return any;
}

DataBatch ShardedGradient::part_of(const EnergyModel& model, const DataBatch& data, const Shard& shard,
                                   Part& part) const {
  const Layout& layout = model.layout();
  const Index begin = shard.begin(data.rows.size()), end = shard.end(data.rows.size()), count = end - begin;
  const auto first = static_cast<std::uint32_t>(begin);
  if (!part.rows || part.rows->size() != count || part.rows->first_chain() != first)
    part.rows.emplace(layout, count, first);
  part.rows->copy_rows(layout.observed(), {data.rows, begin, end});
  part.observed.reset();
  if (data.observed) {
    std::vector<Index> which(count);
    std::iota(which.begin(), which.end(), begin);
    part.observed = data.observed->of_rows(which);
  }
  part.posterior.reset();
  return {*part.rows,     data.weights.subspan(begin, count),
          part.posterior, part.observed ? &*part.observed : nullptr,
          data.marginals, data.indices.empty() ? data.indices : data.indices.subspan(begin, count)};
}

GradientEstimator::Report ShardedGradient::estimate(const EnergyModel& model, const DataBatch& data,
                                                    std::span<Real> gradient, const Execution& execution) {
  if (data.rows.size() < shards_.shards())
    throw CapabilityError(
        fmt::format("a batch of {} rows cannot be cut into {} shards.", data.rows.size(), shards_.shards()));
  const WholeBatch whole{data.rows.size(), data.total_weight(), data.marginals};
  const Index sums = cut_.front()->num_sums(model);
  joint_.resize(gradient.size() + sums);
  std::vector<ShardReport> reports;
  shards_.add_up(
      joint_,
      [&](Index shard, std::span<Real> out) {
        const Index k = shard - shards_.first();
        const DataBatch rows = part_of(model, data, {shard, shards_.shards()}, parts_[k]);
        Report report =
            cut_[k]->estimate_shard(model, rows, whole, out.first(gradient.size()), out.last(sums), execution);
        reports.push_back({std::move(report), rows.total_weight(), rows.rows.size()});
      },
      execution.executor);
  std::ranges::copy(std::span(joint_).first(gradient.size()), gradient.begin());
  cut_.front()->finish(model, whole, gradient, std::span<const Real>(joint_).last(sums), execution.executor);
  const auto others = shards_.ranks().gather(to_bytes(reports));
  for (Index r = 1; r < others.size(); ++r)
    for (ShardReport& report : reports_of(others[r])) reports.push_back(std::move(report));
  return merged(reports);
}

void ShardedGradient::memory(const EnergyModel& model, Index rows, MemoryNeed& need) const {
  for (Index k = 0; k < cut_.size(); ++k)
    estimators_[k]->memory(model, Shard{shards_.first() + k, shards_.shards()}.of(rows), need);
  const auto vector = static_cast<double>(gradient_layout(model, first()).size()) * sizeof(Real);
  need.add("the gradients of the shards", static_cast<double>(shards_.vectors() + 1) * vector, "training.shards");
}

void ShardedGradient::exchange_own(StateArchive& archive) {
  struct One {
    ShardEstimator& estimator;
    void state(StateArchive& archive) { estimator.shard_state(archive); }
  };
  for (Index k = 0; k < cut_.size(); ++k) {
    One one{*cut_[k]};
    archive.group(fmt::format("shard{}", shards_.first() + k), one);
  }
}

std::vector<std::byte> ShardedGradient::own_bytes() {
  StateArchive archive;
  exchange_own(archive);
  return to_bytes(archive.fields());
}

void ShardedGradient::state(StateArchive& archive) {
  cut_.front()->common_state(archive);
  if (archive.loading()) {
    exchange_own(archive);
    return;
  }
  tell(Word::save);
  for (const auto& bytes : shards_.ranks().gather(own_bytes())) {
    for (auto& entry : fields_of(bytes))
      std::visit([&](auto& values) { archive.field(entry.first, values, values.size()); }, entry.second);
  }
}

void ShardedGradient::tell(Word word) { shards_.ranks().broadcast(std::as_writable_bytes(std::span(&word, 1))); }

ShardedGradient::Word ShardedGradient::listen() {
  for (;;) {
    Word word{};
    shards_.ranks().broadcast(std::as_writable_bytes(std::span(&word, 1)));
    if (word != Word::save) return word;
    shards_.ranks().gather(own_bytes());
  }
}

Verdict ShardedGradient::decide(Verdict verdict) {
  if (leads()) {
    tell(verdict == Verdict::stop ? Word::stop : Word::go_on);
    return verdict;
  }
  const Word word = listen();
  if (word == Word::diverged) throw LeaderDiverged();
  return word == Word::stop ? Verdict::stop : Verdict::go_on;
}

void ShardedGradient::diverged() {
  if (leads()) tell(Word::diverged);
  else listen();
}

void ShardedGradient::finish() {
  if (leads()) tell(Word::finish);
  else listen();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
