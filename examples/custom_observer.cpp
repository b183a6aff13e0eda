// An observer: it sees every update and every epoch, adds to what is recorded, and may end the run.
#include <cmath>
#include <cstdio>

#include <harmonium/estimators/gradients/contrastive.hpp>
#include <harmonium/estimators/log_partition/exact.hpp>
#include <harmonium/estimators/phases/exact_phase.hpp>
#include <harmonium/framework/data/generators.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/run/train.hpp>
#include <harmonium/framework/training/adam.hpp>
#include <harmonium/framework/training/initializer.hpp>
#include <harmonium/models/presets.hpp>

using namespace harmonium;

/// Ends the run once the exact log likelihood of the training data has come close enough to the best there is.
class StopNear final : public Observer {
 public:
  explicit StopNear(double log_likelihood) : enough_(log_likelihood) {}

  Verdict iterated(const Iteration& update) override {
    longest_ = std::max(longest_, update.gradient_norm);
    return Verdict::go_on;
  }

  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override {
    const Chains rows = spread_rows(*end.data.train, end.model.layout(), 0, 0);
    const double log_z = ExactLogPartition().estimate(end.model, 1.0, end.execution).log_z;
    const double value = -mean_free_energy(end.model, rows, 1.0, end.execution.executor) - log_z;
    record.emplace_back("log_likelihood", value);
    if (value < enough_) return Verdict::go_on;
    std::printf("reached %.3f nats after %d epochs; the longest gradient was %.3f\n", value,
                static_cast<int>(end.epoch), longest_);
    return Verdict::stop;
  }

 private:
  double enough_, longest_ = 0.0;
};

int main() {
  const Executor threads;
  const Execution execution{threads, {.seed = 5}};
  const Dataset data(diagonal(8), "diagonal");
  const auto model = make_rbm({.num_visible = data.cols(), .num_hidden = 8});
  NormalInitializer({.std = 0.1}).initialize(*model, &data, execution.part("initializer"));

  Contrastive exact({.positive = std::make_unique<ExactPhase>(), .negative = std::make_unique<ExactPhase>()});
  Adam adam({.rate = {.learning_rate = 0.02}});
  std::vector<std::pair<std::string, std::unique_ptr<Observer>>> observers;
  observers.emplace_back("stop_near", std::make_unique<StopNear>(-std::log(9.0) - 0.05));
  const TrainingSummary summary =
      train(*model, data, exact, adam, {.num_epochs = 20000}, execution, {.observers = std::move(observers)});
  std::printf("%s\n", summary.message.c_str());
}
