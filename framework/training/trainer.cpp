#include <harmonium/framework/training/trainer.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/training/parameter_checks.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// θ + (proposed − θ) / 2^k with the smallest k ≥ 1 at which the model has a density: the share of the step, 0 where there is
/// none.
Real step_towards(EnergyModel& model, const std::vector<Real>& proposed) {
  const std::vector<Real> from(model.parameters().begin(), model.parameters().end());
  Real share = 1;
  for (int halvings = 1; halvings <= 30; ++halvings) {
    share /= 2;
    try {
      model.update_parameters([&](std::span<Real> theta) {
        const auto start = as_xtensor(std::span(from));
        in_place(theta) = start + share * (as_xtensor(std::span(proposed)) - start);
      });
      return share;
    } catch (const NumericalError&) {
      continue;
    }
  }
  return 0;
}

constexpr const char* shrink_advice =
    "Lower optimizer.learning_rate, set training.clip_norm, or training.inadmissible_step = \"shrink\".";
constexpr const char* advice = "Lower optimizer.learning_rate, or set training.clip_norm.";

/// One run of the loop.
class Training {
 public:
  Training(const TrainingParts& parts, const TrainingOptions& options, const RunData& data, TrainingPosition& position,
           TrainingHost& host, const Execution& execution)
      : parts_(parts),
        options_(options),
        data_(data),
        position_(position),
        host_(host),
        execution_(execution),
        model_(parts.model),
        layout_(gradient_layout(parts.model, parts.estimator)),
        per_epoch_(parts.batches.batches_per_epoch()),
        total_(options.total_updates(per_epoch_)),
        gradient_(layout_.size()),
        last_good_update_(position.update) {
    keep_good();
  }

  TrainingSummary run() {
    try {
      return loop();
    } catch (const Diverged&) {
      if (parts_.shards) parts_.shards->diverged();
      throw;
    } catch (const ShardedGradient::LeaderDiverged&) {
      throw Diverged("the run diverged, as rank 0 says", last_good_update_);
    }
  }

 private:
  TrainingSummary loop() {
    if (parts_.stop_early && parts_.stop_early->over()) stop(parts_.stop_early->message());
    while (position_.update < total_ && verdict_ == Verdict::go_on) {
      const std::uint64_t epoch = position_.update / per_epoch_;
      const Progress progress{position_.update, total_, per_epoch_};
      const double norm = find_gradient(epoch);
      step(progress);
      ++position_.update;
      const bool epoch_over = position_.update % per_epoch_ == 0 || position_.update == total_;
      tell_observers(
          {position_.update, model_, of_theta(), summary_.last_estimate, parts_.optimizer.rate(progress), norm});
      if (epoch_over) end_epoch(epoch);
      if (epoch_over || position_.update % 100 == 0) keep_good();
      if (host_.between_updates(position_, epoch_over) == Verdict::stop) stop("it was asked to stop");
      if (parts_.shards) verdict_ = parts_.shards->decide(verdict_);
    }
    summary_.updates = position_.update;
    if (summary_.message.empty()) summary_.message = "all updates were made";
    return std::move(summary_);
  }

  /// Whether what was measured is this process's to say.
  bool leads() const { return !parts_.shards || parts_.shards->leads(); }

  void keep_good() {
    last_good_.assign(model_.parameters().begin(), model_.parameters().end());
    const std::span<const Real> own = parts_.estimator.own_values();
    last_good_own_.assign(own.begin(), own.end());
    last_good_update_ = position_.update;
  }

  [[noreturn]] void diverge(const std::string& what) {
    model_.update_parameters([&](std::span<Real> theta) { std::ranges::copy(last_good_, theta.begin()); });
    std::ranges::copy(last_good_own_, parts_.estimator.own_values().begin());
    throw Diverged(what, last_good_update_);
  }

  void stop(const std::string& message) {
    verdict_ = Verdict::stop;
    summary_.message = message;
  }

  /// The gradient of the next batch, regularized and clipped; returns its norm before that.
  double find_gradient(std::uint64_t epoch) {
    const Executor& executor = execution_.executor;
    const DataBatch batch = parts_.batches.batch(epoch, position_.update % per_epoch_, executor);
    summary_.last_estimate = parts_.estimator.estimate(model_, batch, gradient_, execution_.part("estimator"));
    for (const auto& r : parts_.regularizers)
      r->add_gradient(model_.parameters(), model_.parameter_layout(), of_theta(), executor);
    const double norm = std::sqrt(squared_norm(layout_, gradient_, executor));
    if (!std::isfinite(norm)) {
      const Index at = first_beyond(gradient_, static_cast<double>(std::numeric_limits<Real>::max()), executor);
      diverge(fmt::format("the run diverged at update {}: the gradient of {} is not finite. {}", position_.update + 1,
                          at < gradient_.size() ? place_of(layout_, at) : "some parameter", advice));
    }
    if (options_.clip_norm > 0.0 && norm > options_.clip_norm)
      in_place(std::span(gradient_)) *= static_cast<Real>(options_.clip_norm / norm);
    return norm;
  }

  void step(const Progress& progress) {
    const bool shrink = options_.inadmissible_step == InadmissibleStep::shrink;
    const std::span<Real> own = parts_.estimator.own_values();
    Real share = 1;
    try {
      model_.update_parameters([&](std::span<Real> theta) {
        move(theta, progress);
        if (shrink) proposed_.assign(theta.begin(), theta.end());
      });
    } catch (const NumericalError& error) {
      share = shrink ? step_towards(model_, proposed_) : Real{0};
      if (share == Real{0})
        diverge(fmt::format("the run diverged at update {}: {}. {}", position_.update + 1, error.what(),
                            shrink ? advice : shrink_advice));
      ++summary_.shrunk_steps;
    }
    if (!own.empty())
      in_place(own) += share * (as_xtensor(std::span<const Real>(joint_).last(own.size())) - as_xtensor(own));
    auto wrong = beyond(model_.parameter_layout(), model_.parameters(), options_.max_parameter, execution_.executor);
    if (!wrong && !own.empty())
      wrong = beyond(parts_.estimator.own_parameters(model_), own, options_.max_parameter, execution_.executor);
    if (wrong)
      diverge(fmt::format("the run diverged at update {}: {} (training.max_parameter = {:g}). {}", position_.update + 1,
                          *wrong, options_.max_parameter, advice));
  }

  std::span<Real> of_theta() { return std::span(gradient_).first(model_.parameters().size()); }

  /// One step of the optimizer, of θ. It knows one vector: the estimator's own parameters follow θ in it, and are left in
  /// `joint_` until the model has taken its step.
  void move(std::span<Real> theta, const Progress& progress) {
    const std::span<Real> own = parts_.estimator.own_values();
    if (own.empty()) {
      parts_.optimizer.step(theta, gradient_, layout_, progress, execution_.executor);
    } else {
      joint_.assign(theta.begin(), theta.end());
      joint_.insert(joint_.end(), own.begin(), own.end());
      parts_.optimizer.step(joint_, gradient_, layout_, progress, execution_.executor);
      std::copy_n(joint_.begin(), theta.size(), theta.begin());
    }
    shrink(theta, progress);
  }

  /// What penalties without a slope of their own take of θ after that step.
  void shrink(std::span<Real> theta, const Progress& progress) {
    if (std::ranges::none_of(parts_.regularizers, [](const auto& r) { return r->shrinks(); })) return;
    step_sizes_.resize(gradient_.size());
    parts_.optimizer.step_sizes(step_sizes_, layout_, progress, execution_.executor);
    for (const auto& r : parts_.regularizers)
      if (r->shrinks())
        r->shrink(theta, model_.parameter_layout(), std::span(step_sizes_).first(theta.size()), execution_.executor);
  }

  void tell_observers(const Iteration& iteration) {
    if (!leads()) return;
    for (const auto& [name, observer] : parts_.observers)
      if (observer->iterated(iteration) == Verdict::stop) stop("observer '" + name + "' ended the run");
  }

  void end_epoch(std::uint64_t epoch) {
    if (!leads()) return;
    const auto measured_from = std::chrono::steady_clock::now();
    MetricRecord record;
    for (const auto& [name, observer] : parts_.observers) {
      const Execution own = execution_.part("observers").part(name);
      const Index known = record.size();
      const Verdict said = observer->epoch_ended({epoch + 1, position_.update, model_, data_, own}, record);
      for (Index k = known; k < record.size(); ++k)  // two of one type: the second under its own name
        if (std::ranges::any_of(std::span(record).first(known),
                                [&](const auto& r) { return r.first == record[k].first; }))
          record[k].first = name + "." + record[k].first;
      if (said == Verdict::stop) stop("observer '" + name + "' ended the run");
    }
    for (const auto& [name, value] : record)
      if (!std::isfinite(value))
        diverge(fmt::format("the run diverged by update {}: {} is {}. {}", position_.update, name, value, advice));
    if (parts_.best) parts_.best->measured(epoch + 1, position_.update, model_.parameters(), record);
    if (parts_.stop_early) {
      parts_.stop_early->measured(epoch + 1, record);
      if (parts_.stop_early->over()) stop(parts_.stop_early->message());
    }
    const std::chrono::duration<double> measuring = std::chrono::steady_clock::now() - measured_from;
    host_.recorded(epoch + 1, position_.update, record, measuring.count());
  }

  const TrainingParts& parts_;
  const TrainingOptions& options_;
  const RunData& data_;
  TrainingPosition& position_;
  TrainingHost& host_;
  const Execution& execution_;
  EnergyModel& model_;
  ParameterLayout layout_;  ///< of a gradient
  Index per_epoch_;
  std::uint64_t total_;
  std::vector<Real> gradient_, proposed_, joint_, step_sizes_;
  // A step that goes wrong has already changed θ: a copy from at most 100 updates ago is what is kept.
  std::vector<Real> last_good_, last_good_own_;
  std::uint64_t last_good_update_;
  TrainingSummary summary_;
  Verdict verdict_ = Verdict::go_on;
};

}  // namespace

Diverged::~Diverged() = default;
TrainingHost::~TrainingHost() = default;

TrainingSummary train(const TrainingParts& parts, const TrainingOptions& options, const RunData& data,
                      TrainingPosition& position, TrainingHost& host, const Execution& execution) {
  return Training(parts, options, data, position, host, execution).run();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
