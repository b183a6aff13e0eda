#include <harmonium/framework/training/last_model.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Whoever measures a figure.
struct FigureOwner {
  const std::string& name;
  Observer& observer;
  bool beside_another;  ///< of its type: its figures have its name before theirs
};

std::optional<FigureOwner> owner_of(const std::string& figure, const NamedObservers& observers,
                                    const RunOutline& outline) {
  std::set<std::string> known;
  for (const auto& [name, observer] : observers) {
    const auto* source = dynamic_cast<const FigureSource*>(observer.get());
    if (!source) continue;
    std::set<std::string> own;
    for (const MeasuredFigure& measured : source->figures(outline)) {
      const bool beside = known.contains(measured.name);
      if (figure == (beside ? name + "." + measured.name : measured.name))
        return FigureOwner{.name = name, .observer = *observer, .beside_another = beside};
      own.insert(measured.name);
    }
    known.merge(own);
  }
  return {};
}

}  // namespace

MetricRecord judge_last_model(const TrainingParts& parts, const TrainingOptions& options, const RunOutline& outline,
                              std::uint64_t update, const Execution& execution) {
  if (!parts.best || update == 0 || (parts.shards && !parts.shards->leads())) return {};
  const Index per_epoch = parts.batches.batches_per_epoch();
  const std::uint64_t epoch = epochs_of(update, per_epoch), every = std::max<std::uint64_t>(parts.best->every(), 1);
  const bool epoch_over = update % per_epoch == 0 || update == options.total_updates(per_epoch);
  if (epoch_over && epoch % every == 0) return {};
  const auto owner = owner_of(parts.best->metric(), parts.observers, outline);
  if (!owner) return {};
  const Execution own = execution.part("observers").part(owner->name);
  const std::uint64_t next_due = (epoch + every - 1) / every * every;
  MetricRecord record;
  owner->observer.epoch_ended({next_due, update, parts.model, outline.data, own}, record);
  if (owner->beside_another)
    for (auto& [figure, value] : record) figure = owner->name + "." + figure;
  std::erase_if(record, [](const auto& entry) { return !std::isfinite(entry.second); });
  if (!value_of(record, parts.best->metric())) return {};
  parts.best->measured(epoch, update, parts.model.parameters(), record);
  return record;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
