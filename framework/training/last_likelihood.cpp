#include <harmonium/framework/training/last_likelihood.hpp>

#include <cmath>
#include <set>

#include <harmonium/framework/training/metrics.hpp>
#include <harmonium/framework/training/parts_of_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The names of all that earlier observers measure, so that a later one's have its own name before theirs.
class TakenNames {
 public:
  /// Whether a figure of `source` is known already; all of them are from now on.
  bool take(const FigureSource& source, const RunOutline& outline) {
    bool known = false;
    for (const MeasuredFigure& figure : source.figures(outline)) known |= !names_.insert(figure.name).second;
    return known;
  }

 private:
  std::set<std::string> names_;
};

}  // namespace

void add_last_likelihood(const TrainingParts& parts, const TrainingOptions& options, const RunOutline& outline,
                         std::uint64_t update, const Execution& execution, MetricRecord& record) {
  if (update == 0 || (parts.shards && !parts.shards->leads())) return;
  const Index per_epoch = parts.batches.batches_per_epoch();
  const std::uint64_t epoch = epochs_of(update, per_epoch);
  const std::uint64_t total = options.total_updates(per_epoch);
  const bool epoch_over = update % per_epoch == 0 || update == total;
  const double training = outline.operations_per_epoch * static_cast<double>(total) / static_cast<double>(per_epoch);
  TakenNames taken;
  for (const auto& [name, observer] : parts.observers) {
    const auto* source = dynamic_cast<const FigureSource*>(observer.get());
    const bool beside = source && taken.take(*source, outline);
    auto* likelihood = dynamic_cast<LogLikelihoodMetric*>(observer.get());
    if (!likelihood || !likelihood->at_end(training) || (epoch_over && due(likelihood->every(), epoch))) continue;
    const std::string before = beside ? name + "." : "";
    if (value_of(record, before + "log_likelihood")) continue;  // the best model is chosen by it
    const Execution own = execution.part("observers").part(name);
    MetricRecord found;
    likelihood->measure({epoch, update, parts.model, outline.data, own}, found);
    for (const auto& [figure, value] : found)
      if (std::isfinite(value)) record.emplace_back(before + figure, value);
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
