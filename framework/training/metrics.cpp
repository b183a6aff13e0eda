#include <harmonium/framework/training/metrics.hpp>

#include <algorithm>
#include <cmath>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/pseudo_likelihood.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/framework/training/parts_of_data.hpp>
#include <harmonium/framework/training/sums_over_holes.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

void check_complete(const RunOutline& run, const char* who) {
  if (any_holes(run.data))
    throw HolesRefused(std::string("observer '") + who +
                       "': it takes complete rows, and entries of the data are missing.");
}

/// body(prefix, rows) for the rows of each part that are measured on.
template <class Body>
void for_each_part(const EpochEnd& end, Index rows, const Body& body) {
  for_each_part(end.data, [&](const std::string& prefix, const Dataset& data) {
    body(prefix, spread_rows(data, end.model.layout(), rows, end.epoch - 1));
  });
}

/// How many rows of all parts are measured on.
double rows_measured(const RunData& data, Index most) {
  double sum = 0.0;
  for (const Dataset* part : {data.train, data.validation, data.test})
    if (part) sum += static_cast<double>(most == 0 ? part->rows() : std::min(most, part->rows()));
  return sum;
}

}  // namespace

Observer::~Observer() = default;

void MetricOptions::bind(OptionBinder& o, std::string_view every_help) {
  o.option("every", every, every_help, at_least(0));
  o.option("rows", rows, "rows of each part of the data, evenly spread, that it is taken on; 0: all", at_least(0));
}

void MetricOptions::memory(const RunOutline& run, MemoryNeed& need) const {
  Index most = 0;
  for (const Dataset* data : {run.data.train, run.data.validation, run.data.test})
    if (data && every > 0) most = std::max(most, rows == 0 ? data->rows() : std::min(rows, data->rows()));
  const Layout& layout = run.model.layout();
  // The rows, and the fields and means of their other units.
  need.add_passing("the rows that are measured on",
                   2.0 * static_cast<double>(most) * static_cast<double>(layout.columns(layout.all())) * sizeof(Real),
                   "the observers' rows");
}

void PseudoLikelihoodMetric::Options::bind(OptionBinder& o) {
  metric.bind(o, "epochs between two values; 0: never");
  o.option("units", units,
           "most units of each row that it is estimated from, dealt evenly over the rows; of few rows more, so that "
           "each unit is "
           "seen in two; 0: all. As a default all of them where there are at most 64 (of q states 64 / (q - 1)), "
           "else the part that costs a fiftieth of the training's operations, and 10 at least",
           at_least(0));
}

void PseudoLikelihoodMetric::begin(const RunOutline& run) {
  if (!offers_pseudo_likelihood(run.model))
    throw CapabilityError(
        "observer 'pseudo_likelihood': it takes discrete observed units and a free energy in closed form.");
  check_complete(run, "pseudo_likelihood");
  check_probability(run, "pseudo_likelihood");
  if (options_.units) return;
  constexpr double budget = 0.02, fewest = 10.0;
  constexpr Index few = 64;  // neighbors of a row, which cost little, and runs of a small model can be compared
  const double of_all = pseudo_likelihood_operations(run.model) * rows_measured(run.data, options_.metric.rows);
  const double share = budget * run.operations_per_epoch * static_cast<double>(options_.metric.every) / of_all;
  Index most = 0, neighbors = 0;
  for (const LayerId l : run.model.layout().ids(run.model.layout().observed())) {
    const Layer& layer = run.model.layout()[l];
    most = std::max(most, layer.size);
    neighbors = std::max(neighbors, layer.size * (layer.unit->num_states() - 1));
  }
  units_ =
      share >= 1.0 || neighbors <= few ? 0 : static_cast<Index>(std::max(fewest, share * static_cast<double>(most)));
}

Verdict PseudoLikelihoodMetric::epoch_ended(const EpochEnd& end, MetricRecord& record) {
  if (!due(options_.metric.every, end.epoch)) return Verdict::go_on;
  for_each_part(end, options_.metric.rows, [&](const std::string& prefix, const Chains& rows) {
    // The same units of each row in every epoch, and by no seed in every run: what changes from one to another is the model.
    const Execution execution{end.execution.executor, RandomSource{}.child("pseudo_likelihood"), end.execution.display};
    const WithError found = estimated_pseudo_log_likelihood(end.model, rows, 1.0, units_, execution);
    const std::string name = prefix + "pseudo_log_likelihood";
    record.emplace_back(name, found.value);
    if (found.error) record.emplace_back(name + "_error", *found.error);
  });
  return Verdict::go_on;
}

void ReconstructionErrorMetric::begin(const RunOutline& run) {
  if (!offers_reconstruction(run.model))
    throw CapabilityError(
        "observer 'reconstruction_error': it takes latent units that are independent given the observed ones, and the "
        "reverse.");
  check_complete(run, "reconstruction_error");
}

Verdict ReconstructionErrorMetric::epoch_ended(const EpochEnd& end, MetricRecord& record) {
  if (!due(options_.metric.every, end.epoch)) return Verdict::go_on;
  for_each_part(end, options_.metric.rows, [&](const std::string& prefix, const Chains& rows) {
    record.emplace_back(prefix + "reconstruction_error",
                        reconstruction_error(end.model, rows, 1.0, end.execution.executor));
  });
  return Verdict::go_on;
}

Verdict WeightNormsMetric::epoch_ended(const EpochEnd& end, MetricRecord& record) {
  const ParameterLayout& layout = end.model.parameter_layout();
  const Real* theta = end.model.parameters().data();
  for (const ParameterBlock& b : layout.blocks()) {
    const double sum = sum_over_block(b, theta, [](Index, double w) { return w * w; });
    record.emplace_back("norm." + b.name, std::sqrt(sum));
  }
  return Verdict::go_on;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
