#include <algorithm>
#include <string>
#include <vector>

#include <harmonium/framework/inference/classification.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/framework/training/metrics.hpp>
#include <harmonium/framework/training/parts_of_data.hpp>
#include <harmonium/framework/training/sums_over_holes.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Of the sums over what rows lack beside their class, one for each class that they may have.
double operations_of_classes(const RunOutline& run, Index rows) {
  const Layout& layout = run.model.layout();
  const LayerId label = layout.find(label_layer);
  double operations = 0.0;
  for_each_part(run.data, [&](const std::string&, const Dataset& data) {
    const std::vector<Index> which = spread(data, rows);
    HeldMask seen = seen_of(data, layout, which);
    seen.hold(label);
    operations += operations_of_seen(run.model, seen, which.size());
  });
  return operations * static_cast<double>(layout[label].unit->num_states());
}

/// With standard errors over the rows whose class is known, where these are two or more: that of a share is the binomial one.
void add_told(const ToldClasses& told, const std::string& prefix, MetricRecord& record) {
  const Classification c = told.summary();
  if (c.rows == 0) return;
  const bool several = c.rows > 1;
  const auto add = [&](const char* name, double value, double error) {
    record.emplace_back(prefix + name, value);
    if (several) record.emplace_back(prefix + name + "_error", error);
  };
  add("accuracy", c.accuracy, c.accuracy_error());
  add("label_log_likelihood", c.log_likelihood, c.log_likelihood_error());
}

}  // namespace

void ClassificationMetric::begin(const RunOutline& run) {
  if (!offers_classification(run.model, label_layer))
    throw CapabilityError(
        "observer 'classification': the model has no observed layer 'label' of one unit, or no free energy.");
  if (!any_holes(run.data) || options_.metric.every == 0) return;
  const double operations = operations_of_classes(run, options_.metric.rows);
  check_summable(operations, run.model, "classification");
  if (operations >
      std::max(run.operations_per_epoch * static_cast<double>(options_.metric.every), always_allowed_of_rows))
    throw HolesRefused(
        "observer 'classification': entries of the data are missing, and to sum over what they may be for each class "
        "costs more than the training. Set its every to take it less often, or its rows to take it of fewer.");
}

void ClassificationMetric::memory(const RunOutline& run, MemoryNeed& need) const {
  options_.metric.memory(run, need);
  memory_of_holes(run, need);
}

Verdict ClassificationMetric::epoch_ended(const EpochEnd& end, MetricRecord& record) {
  if (!due(options_.metric.every, end.epoch)) return Verdict::go_on;
  const Layout& layout = end.model.layout();
  const Index most = options_.metric.rows;
  for_each_part(end.data, [&](const std::string& prefix, const Dataset& data) {
    const Chains rows = spread_rows(data, layout, most, end.epoch - 1);
    const HeldMask seen = seen_of(data, layout, spread(data, most));
    add_told(tell_classes(end.model, label_layer, rows, seen, 1.0, end.execution.executor), prefix, record);
  });
  return Verdict::go_on;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
