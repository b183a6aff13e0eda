#include <harmonium/framework/training/trainer.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index entries_a_task = 1 << 16;

/// Σ g², each symmetric pair once; not finite where an entry is not.
double squared_norm(const ParameterLayout& layout, std::span<const Real> g, const Executor& executor) {
  double total = 0.0;
  for (const ParameterBlock& b : layout.blocks()) {
    const Real* x = g.data() + b.offset;
    double sum = executor.sum_in_order(b.size(), entries_a_task, [&](Index begin, Index end) {
      // Partial sums of a few hundred entries in Real, which vectorises; their sum in double.
      constexpr Index lanes = 32, chunk = lanes * 16;
      double part = 0.0;
      for (Index i = begin; i < end; i += chunk) {
        const Index last = std::min(end, i + chunk);
        std::array<Real, lanes> sums{};
        Index k = i;
        for (; k + lanes <= last; k += lanes)
          for (Index j = 0; j < lanes; ++j) sums[j] += x[k + j] * x[k + j];
        for (; k < last; ++k) sums[0] += x[k] * x[k];
        for (const Real s : sums) part += static_cast<double>(s);
      }
      return part;
    });
    if (b.symmetry == Symmetry::symmetric_zero_diagonal) sum *= 0.5;
    total += sum;
  }
  return total;
}

/// The first entry whose size exceeds `limit` or is NaN; θ.size() where there is none.
Index first_beyond(std::span<const Real> theta, double limit, const Executor& executor) {
  const auto most = static_cast<Real>(std::min(limit, static_cast<double>(std::numeric_limits<Real>::max())));
  std::vector<Index> found((theta.size() + entries_a_task - 1) / entries_a_task, theta.size());
  executor.for_each_piece(theta.size(), entries_a_task, [&](Index begin, Index end) {
    // Counting without a branch vectorises; the place is looked for only when there is one.
    std::uint32_t beyond = 0;
    for (Index i = begin; i < end; ++i) beyond |= std::abs(theta[i]) <= most ? 0u : 1u;
    if (!beyond) return;
    for (Index i = begin; i < end; ++i) {
      if (std::abs(theta[i]) <= most) continue;
      found[begin / entries_a_task] = i;
      return;
    }
  });
  for (const Index i : found)
    if (i < theta.size()) return i;
  return theta.size();
}

/// "weight.visible.hidden[3, 7]"
std::string place_of(const ParameterLayout& layout, Index i) {
  for (const ParameterBlock& b : layout.blocks()) {
    if (i < b.offset || i >= b.offset + b.size()) continue;
    const Index at = i - b.offset;
    return b.rank() == 1 ? fmt::format("{}[{}]", b.name, at)
                         : fmt::format("{}[{}, {}]", b.name, at / b.cols, at % b.cols);
  }
  return "a parameter";
}

/// θ + (proposed − θ) / 2^k with the least k ≥ 1 at which the model has a density; false where there is none.
bool step_towards(EnergyModel& model, const std::vector<Real>& proposed) {
  const std::vector<Real> from(model.parameters().begin(), model.parameters().end());
  Real share = 1;
  for (int halvings = 1; halvings <= 30; ++halvings) {
    share /= 2;
    try {
      model.update_parameters([&](std::span<Real> theta) {
        for (Index i = 0; i < theta.size(); ++i) theta[i] = from[i] + share * (proposed[i] - from[i]);
      });
      return true;
    } catch (const NumericalError&) {
      continue;
    }
  }
  return false;
}

constexpr const char* shrink_advice =
    "Lower optimizer.learning_rate, set training.clip_norm, or training.inadmissible_step = \"shrink\".";
constexpr const char* advice = "Lower optimizer.learning_rate, or set training.clip_norm.";

/// Of a product of a vector with a tensor. Within a layer a mask makes it as cheap as what exists; between two layers not.
double multiplications(const ParameterBlock& block) {
  const bool sparse = block.mask && block.symmetry == Symmetry::symmetric_zero_diagonal;
  return sparse ? 2.0 * static_cast<double>(free_entries(block)) : static_cast<double>(block.size());
}

}  // namespace

Diverged::~Diverged() = default;
TrainingHost::~TrainingHost() = default;

std::optional<std::string> beyond(const ParameterLayout& layout, std::span<const Real> theta, double limit,
                                  const Executor& executor) {
  const Index at = first_beyond(theta, limit, executor);
  if (at == theta.size()) return {};
  return fmt::format("{} is {:.4g}", place_of(layout, at), static_cast<double>(theta[at]));
}

double operations_per_epoch(const EnergyModel& model, const GradientEstimator& estimator, Index batch_size,
                            Index batches_per_epoch) {
  double couplings = 0.0;
  for (const ParameterBlock& b : model.parameter_layout().blocks())
    if (b.role == ParameterRole::coupling) couplings += multiplications(b);
  return 2.0 * couplings * estimator.products(model, batch_size) * static_cast<double>(batches_per_epoch);
}

void TrainingOptions::bind(OptionBinder& o) {
  o.option("num_epochs", num_epochs, "passes over the training rows; 10 where neither this nor num_updates is given",
           at_least(1));
  o.option("num_updates", num_updates, "parameter updates, in place of num_epochs", at_least(1));
  o.option("batch_size", batch_size, "rows of a minibatch; 100 where not given, or all rows where there are fewer",
           at_least(1));
  o.option("clip_norm", clip_norm, "longest gradient that is applied as it is, longer ones are shortened to it; 0: any",
           at_least(0));
  o.option("max_parameter", max_parameter, "a parameter beyond this size means that the run has diverged",
           more_than(0));
  static constexpr OptionBinder::Choice<InadmissibleStep> steps[] = {{"stop", InadmissibleStep::stop},
                                                                     {"shrink", InadmissibleStep::shrink}};
  o.choice(
      "inadmissible_step", inadmissible_step, steps,
      "a step to parameters that define no density, such as Gaussian units coupled too strongly: ends the run, or is "
      "halved until they define one");
  o.option("checkpoint_every", checkpoint_every, "epochs between two checkpoints; 0: none", at_least(0));
}

void TrainingOptions::validate() const {
  if (num_epochs && num_updates)
    throw ConfigError("'num_epochs' and 'num_updates' are both given, and only one can be meant. Remove one.");
}

std::uint64_t TrainingOptions::total_updates(Index batches_per_epoch) const {
  if (num_updates) return *num_updates;
  const std::uint64_t epochs = num_epochs.value_or(10);
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (epochs > most / std::max<std::uint64_t>(batches_per_epoch, 1))
    throw ConfigError(
        fmt::format("'num_epochs' is {}, and with {} batches an epoch the updates cannot be counted (2^63 and more). "
                    "Lower it.",
                    epochs, batches_per_epoch));
  return epochs * batches_per_epoch;
}

TrainingSummary train(const TrainingParts& parts, const TrainingOptions& options, const RunData& data,
                      TrainingPosition& position, TrainingHost& host, const Execution& execution) {
  EnergyModel& model = parts.model;
  const ParameterLayout& layout = model.parameter_layout();
  const Index per_epoch = parts.batches.batches_per_epoch();
  const std::uint64_t total = options.total_updates(per_epoch);
  std::vector<Real> gradient(layout.size()), proposed;

  // A step that goes wrong has already changed θ: a copy from at most 100 updates ago is what is kept.
  std::vector<Real> last_good(model.parameters().begin(), model.parameters().end());
  std::uint64_t last_good_update = position.update;
  const auto diverge = [&](const std::string& what) {
    model.update_parameters(
        [&](std::span<Real> theta) { std::copy(last_good.begin(), last_good.end(), theta.begin()); });
    throw Diverged(what, last_good_update);
  };

  TrainingSummary summary;
  Verdict verdict = Verdict::go_on;
  while (position.update < total && verdict == Verdict::go_on) {
    const std::uint64_t epoch = position.update / per_epoch;
    const Progress progress{position.update, total, per_epoch};
    const DataBatch batch = parts.batches.batch(epoch, position.update % per_epoch, execution.executor);
    summary.last_estimate = parts.estimator.estimate(model, batch, gradient, execution.part("estimator"));
    for (const auto& r : parts.regularizers) r->add_gradient(model.parameters(), layout, gradient, execution.executor);

    const double norm = std::sqrt(squared_norm(layout, gradient, execution.executor));
    if (!std::isfinite(norm)) {
      const Index at =
          first_beyond(gradient, static_cast<double>(std::numeric_limits<Real>::max()), execution.executor);
      diverge(fmt::format("the run diverged at update {}: the gradient of {} is not finite. {}", position.update + 1,
                          at < gradient.size() ? place_of(layout, at) : "some parameter", advice));
    }
    if (options.clip_norm > 0.0 && norm > options.clip_norm) {
      const auto factor = static_cast<Real>(options.clip_norm / norm);
      for (Real& g : gradient) g *= factor;
    }
    const bool shrink = options.inadmissible_step == InadmissibleStep::shrink;
    try {
      model.update_parameters([&](std::span<Real> theta) {
        parts.optimizer.step(theta, gradient, layout, progress, execution.executor);
        if (shrink) proposed.assign(theta.begin(), theta.end());
      });
    } catch (const NumericalError& error) {
      if (!shrink || !step_towards(model, proposed))
        diverge(fmt::format("the run diverged at update {}: {}. {}", position.update + 1, error.what(),
                            shrink ? advice : shrink_advice));
      ++summary.shrunk_steps;
    }
    const std::span<const Real> theta = model.parameters();
    if (const auto wrong = beyond(layout, theta, options.max_parameter, execution.executor))
      diverge(fmt::format("the run diverged at update {}: {} (training.max_parameter = {:g}). {}", position.update + 1,
                          *wrong, options.max_parameter, advice));
    ++position.update;

    const bool epoch_over = position.update % per_epoch == 0 || position.update == total;
    const Iteration iteration{
        position.update, model, gradient, summary.last_estimate, parts.optimizer.rate(progress), norm};
    for (const auto& [name, observer] : parts.observers)
      if (observer->iterated(iteration) == Verdict::stop) {
        verdict = Verdict::stop;
        summary.message = "observer '" + name + "' ended the run";
      }
    if (epoch_over) {
      const auto measured_from = std::chrono::steady_clock::now();
      MetricRecord record;
      for (const auto& [name, observer] : parts.observers) {
        const Execution own = execution.part("observers").part(name);
        const Index known = record.size();
        const Verdict said = observer->epoch_ended({epoch + 1, position.update, model, data, own}, record);
        for (Index k = known; k < record.size(); ++k)  // two of one type: the second under its own name
          if (std::any_of(record.begin(), record.begin() + static_cast<std::ptrdiff_t>(known),
                          [&](const auto& r) { return r.first == record[k].first; }))
            record[k].first = name + "." + record[k].first;
        if (said == Verdict::stop) {
          verdict = Verdict::stop;
          summary.message = "observer '" + name + "' ended the run";
        }
      }
      for (const auto& [name, value] : record)
        if (!std::isfinite(value))
          diverge(fmt::format("the run diverged by update {}: {} is {}. {}", position.update, name, value, advice));
      const std::chrono::duration<double> measuring = std::chrono::steady_clock::now() - measured_from;
      host.recorded(epoch + 1, position.update, record, measuring.count());
    }
    if (epoch_over || position.update % 100 == 0) {
      std::copy(theta.begin(), theta.end(), last_good.begin());
      last_good_update = position.update;
    }
    if (host.between_updates(position, epoch_over) == Verdict::stop) {
      verdict = Verdict::stop;
      summary.message = "it was asked to stop";
    }
  }
  summary.updates = position.update;
  if (summary.message.empty()) summary.message = "all updates were made";
  return summary;
}

TrainingSummary train(EnergyModel& model, const Dataset& data, GradientEstimator& estimator, Optimizer& optimizer,
                      const TrainingOptions& options, const Execution& execution, TrainingExtras extras) {
  struct NobodyAsks final : TrainingHost {
    Verdict between_updates(const TrainingPosition&, bool) override { return Verdict::go_on; }
    void recorded(std::uint64_t, std::uint64_t, const MetricRecord&, double) override {}
  };
  options.validate();
  check_data(data, model.layout());
  estimator.check(model);
  estimator.begin(model, {data.rows(), data.has_missing()});
  optimizer.check(model.parameter_layout());
  const Index batch_size = options.batch_size.value_or(std::min<Index>(100, data.rows()));
  Batches batches(data, model.layout(), batch_size, execution.random.child("batches"));
  const RunData run_data{&data};
  const double operations = operations_per_epoch(model, estimator, batch_size, batches.batches_per_epoch());
  for (const auto& [name, observer] : extras.observers)
    observer->begin({model, run_data, operations, estimator.figures(model)});
  TrainingPosition position;
  NobodyAsks nobody;
  return train({model, batches, estimator, optimizer, extras.regularizers, extras.observers}, options, run_data, position,
               extras.host ? *extras.host : nobody, execution);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
