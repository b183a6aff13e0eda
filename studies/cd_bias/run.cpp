#include <harmonium/studies/cd_bias/run.hpp>

#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/framework/studies/study_parts.hpp>
#include <harmonium/framework/training/batches.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double most_bits = 24;

std::int64_t signed_of(std::uint64_t n) { return static_cast<std::int64_t>(n); }

/// Looks at a machine while it is trained, and ends the training.
class Watch final : public TrainingHost {
 public:
  Watch(const Experiment& experiment, const CdBiasOptions& options, const std::atomic<bool>* stop,
        const std::function<void(std::uint64_t)>& updated, CdBiasRun& run)
      : model_(experiment.model()),
        rows_(rows_of(experiment.data().train, model_.layout(), 0, experiment.data().train.rows(), 0)),
        weights_(coupling_entries(model_.parameter_layout())),
        enumeration_(model_, {}, most_bits),
        options_(options),
        stop_(stop),
        updated_(updated),
        run_(run) {
    if (options_.trace_every > 0) run_.trace.push_back(record(0, 1));
  }

  Verdict between_updates(const TrainingPosition& position, bool) override {
    const std::uint64_t update = position.update;
    if (options_.trace_every > 0 && !met_ && update % options_.trace_every == 0)
      run_.trace.push_back(record(update, 1));
    if (update == options_.fixed_updates) run_.fixed = record(update, options_.most_steps);
    if (update % options_.check_every == 0) check(update);
    if (met_ && (run_.fixed || options_.fixed_updates == 0)) return Verdict::stop;
    if (update % 1000 == 0) {
      updated_(1000);
      stopped_ = stop_ && stop_->load(std::memory_order_relaxed);
    }
    return stopped_ ? Verdict::stop : Verdict::go_on;
  }
  void recorded(std::uint64_t, std::uint64_t, const MetricRecord&, double) override {}

  bool met() const { return met_; }
  bool stopped() const { return stopped_; }
  double log_likelihood() const {
    return -mean_free_energy(model_, rows_, 1.0, executor_) - enumeration_.log_sum(1.0, nullptr, executor_);
  }
  /// What −log P may be on average: its lower bound is log N, for the rows are all different.
  double criterion() const { return (1.0 + options_.tolerance) * std::log(static_cast<double>(rows_.size())); }

 private:
  void check(std::uint64_t update) {
    if (met_ || -log_likelihood() > criterion()) return;
    met_ = true;
    run_.criterion = record(update, options_.most_steps);
    const ExactChain chain(model_, most_bits);
    run_.second_eigenvalue = chain.second_eigenvalue();
    run_.bound = contrastive_bounds(chain, 1).paper / static_cast<double>(chain.num_states());
  }
  CdBiasRecord record(std::uint64_t update, Index most_steps) const {
    const FieldBounds fields = field_bounds(model_);
    return {update, log_likelihood(), fields.alpha(), fields.beta(),
            contrastive_bias(ExactChain(model_, most_bits), rows_, most_steps, weights_)};
  }

  const EnergyModel& model_;
  const Chains rows_;
  const std::vector<Index> weights_;
  const Enumeration enumeration_;
  const CdBiasOptions& options_;
  const std::atomic<bool>* stop_;
  const std::function<void(std::uint64_t)>& updated_;
  CdBiasRun& run_;
  const Executor executor_{1};
  bool met_ = false, stopped_ = false;
};

}  // namespace

Value cell_config(const CdBiasCell& cell, const CdBiasOptions& options) {
  const std::int64_t d = signed_of(cell.size);
  const double limit = options.initial_limit > 0.0 ? options.initial_limit : 1.0 / static_cast<double>(cell.size);
  // What every run measures, this one does not wait for.
  Value observers;
  observers.data = Value::List{};
  for (const char* name : {"log_likelihood", "pseudo_likelihood", "reconstruction_error"})
    std::get<Value::List>(observers.data)
        .push_back(make_table({{"type", make_value(name)}, {"every", make_value(signed_of(options.max_updates))}}));
  return make_table(
      {{"seed", make_value(signed_of(cell.seed))},
       {"precision", make_value("float64")},
       {"data", make_table({{"type", make_value(cell.data_set)}, {"size", make_value(d)}})},
       {"model", make_table({{"type", make_value("rbm")},
                             {"num_visible", make_value(d)},
                             {"num_hidden", make_value(options.num_hidden > 0 ? signed_of(options.num_hidden) : d)}})},
       {"initializer",
        make_table(
            {{"type", make_value("uniform")}, {"limit", make_value(limit)}, {"visible_bias", make_value("zero")}})},
       {"estimator",
        make_table({{"type", make_value("cd")}, {"gibbs_steps", make_value(signed_of(options.gibbs_steps))}})},
       {"optimizer", make_table({{"type", make_value("sgd")}, {"learning_rate", make_value(options.learning_rate)}})},
       {"training", make_table({{"batch_size", make_value(std::int64_t{1})},
                                {"num_updates", make_value(signed_of(options.max_updates))}})},
       {"observers", std::move(observers)}});
}

CdBiasRun run_cd_bias(const CdBiasCell& cell, const CdBiasOptions& options, const Registries& registries,
                      const std::atomic<bool>* stop, const std::function<void(std::uint64_t)>& updated) {
  const Executor executor(1);
  const std::string who = fmt::format("{} of size {}, seed {}", cell.data_set, cell.size, cell.seed);
  CdBiasRun run{cell, {}, {}, {}, 0.0, 0.0};
  Experiment experiment(cell_config(cell, options), registries, "", executor);
  Watch watch(experiment, options, stop, updated, run);
  TrainingPosition position;
  try {
    experiment.run(position, watch, executor);
  } catch (const Diverged&) {
    throw NumericalError(
        fmt::format("study 'cd-bias': the training of {} diverged (learning_rate = {:g}). Lower "
                    "learning_rate{}.",
                    who, options.learning_rate, options.initial_limit > 0.0 ? " or initial_limit" : ""));
  }
  if (watch.stopped()) throw Stopped();
  if (!watch.met())
    throw NumericalError(fmt::format(
        "{}: after {} updates the mean of -log P is {:.5g}, and the criterion is {:.5g}. Raise max_updates or "
        "learning_rate.",
        who, position.update, -watch.log_likelihood(), watch.criterion()));
  return run;
}

namespace {

constexpr std::pair<const char*, double BiasStatistics::*> statistics_fields[] = {
    {"delta", &BiasStatistics::delta},
    {"r_median", &BiasStatistics::r_median},
    {"r_ratio_of_means", &BiasStatistics::r_ratio_of_means},
    {"r_clipped_mean", &BiasStatistics::r_clipped_mean},
    {"s", &BiasStatistics::s},
    {"cosine", &BiasStatistics::cosine}};

Value record_value(const CdBiasRecord& record) {
  Value table = make_table({{"updates", make_value(signed_of(record.updates))},
                            {"log_likelihood", make_value(record.log_likelihood)},
                            {"alpha", make_value(record.alpha)},
                            {"beta", make_value(record.beta)}});
  for (const auto& [name, field] : statistics_fields) {
    Value list;
    list.data = Value::List{};
    for (const BiasStatistics& k : record.steps) std::get<Value::List>(list.data).push_back(make_value(k.*field));
    table.set(name, std::move(list));
  }
  return table;
}

CdBiasRecord record_of(const Value& table) {
  CdBiasRecord record;
  record.updates = static_cast<std::uint64_t>(entry_of_part<std::int64_t>(table, "updates"));
  record.log_likelihood = entry_of_part<double>(table, "log_likelihood");
  record.alpha = entry_of_part<double>(table, "alpha");
  record.beta = entry_of_part<double>(table, "beta");
  record.steps.resize(entry_of_part<Value::List>(table, "delta").size());
  for (const auto& [name, field] : statistics_fields) {
    const auto& list = entry_of_part<Value::List>(table, name);
    for (Index k = 0; k < record.steps.size(); ++k) {
      const double* value = k < list.size() ? std::get_if<double>(&list[k].data) : nullptr;
      if (!value)
        throw DataError(fmt::format("{}: '{}' holds too few numbers. Remove the file, and the run is made again.",
                                    table.where, name));
      record.steps[k].*field = *value;
    }
  }
  return record;
}

}  // namespace

Value to_value(const CdBiasRun& run) {
  Value trace;
  trace.data = Value::List{};
  for (const CdBiasRecord& record : run.trace) std::get<Value::List>(trace.data).push_back(record_value(record));
  Value table = make_table({{"second_eigenvalue", make_value(run.second_eigenvalue)},
                            {"bound", make_value(run.bound)},
                            {"criterion", record_value(run.criterion)}});
  if (run.fixed) table.set("fixed", record_value(*run.fixed));
  table.set("trace", std::move(trace));
  return table;
}

CdBiasRun from_value(const CdBiasCell& cell, const Value& value) {
  CdBiasRun run{cell, {}, {}, {}, 0.0, 0.0};
  run.second_eigenvalue = entry_of_part<double>(value, "second_eigenvalue");
  run.bound = entry_of_part<double>(value, "bound");
  entry_of_part<Value::Table>(value, "criterion");
  run.criterion = record_of(*value.find("criterion"));
  if (const Value* fixed = value.find("fixed")) run.fixed = record_of(*fixed);
  for (const Value& record : entry_of_part<Value::List>(value, "trace")) run.trace.push_back(record_of(record));
  return run;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
