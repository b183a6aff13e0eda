#include <harmonium/studies/estimators/measure.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/studies/study_parts.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double square(const std::vector<double>& x) { return std::inner_product(x.begin(), x.end(), x.begin(), 0.0); }

/// Mean of vectors and the sum over entries of their variances (Welford 1962).
struct Spread {
  explicit Spread(Index size) : mean(size, 0.0) {}
  void add(const std::vector<double>& x) {
    ++number;
    for (Index k = 0; k < x.size(); ++k) {
      const double change = x[k] - mean[k];
      mean[k] += change / number;
      squares += change * (x[k] - mean[k]);
    }
  }
  double variance() const { return squares / (number - 1.0); }
  std::vector<double> mean;
  double number = 0.0, squares = 0.0;
};

constexpr std::pair<const char*, double EstimatorMeasure::*> kept_fields[] = {
    {"log_likelihood", &EstimatorMeasure::log_likelihood},
    {"exact_norm", &EstimatorMeasure::exact_norm},
    {"norm", &EstimatorMeasure::mean_norm},
    {"cosine", &EstimatorMeasure::cosine},
    {"bias", &EstimatorMeasure::bias},
    {"variance", &EstimatorMeasure::variance},
    {"standard_error", &EstimatorMeasure::noise},
    {"products", &EstimatorMeasure::products},
    {"seconds", &EstimatorMeasure::seconds}};

}  // namespace

double EstimatorMeasure::cosine_of(double number, const Repeats& repeats) const {
  const double along = cosine * mean_norm;
  const double mean = std::max(mean_norm * mean_norm - noise * noise, along * along);
  const double of_one = noise * noise * static_cast<double>(repeats.made());
  return along / std::sqrt(mean + of_one / std::max(1.0, number));
}

EstimatorMeasure measure(const StudiedStage& stage, const StudiedEstimator& subject, const Repeats& repeats,
                         const WholeData& data, const Registries& registries, const std::atomic<bool>* stop) {
  const Executor alone(1, stop);
  const Execution execution{alone, RandomSource{stage.seed, 0}.child(fmt::format("study/{}/{}/{}", subject.name,
                                                                                 subject.gibbs_steps, stage.updates))};
  Value effective;
  const auto estimator = registries.make<GradientEstimator>(subject.spec, effective);
  estimator->check(*stage.model);
  estimator->begin(*stage.model, data.outline());
  estimator->start(*stage.model, execution);
  for (Index i = 0; i < repeats.warm_up; ++i) {
    alone.check_stop();
    data.estimate(*estimator, *stage.model, execution);
  }

  const Index size = stage.exact.size();
  std::vector<double> batch(size);
  Spread of_estimates(size), of_batches(size);
  double seconds = 0.0;
  for (Index b = 0; b < Repeats::batches; ++b) {
    std::ranges::fill(batch, 0.0);
    for (Index i = 0; i < repeats.each(); ++i) {
      alone.check_stop();
      const double start = processor_seconds();
      const std::vector<double> g = data.estimate(*estimator, *stage.model, execution);
      seconds += processor_seconds() - start;
      of_estimates.add(g);
      for (Index k = 0; k < size; ++k) batch[k] += g[k] / static_cast<double>(repeats.each());
    }
    of_batches.add(batch);
  }
  const std::vector<double>& mean = of_batches.mean;
  EstimatorMeasure m;
  m.seed = stage.seed;
  m.updates = stage.updates;
  m.estimator = subject.name;
  m.gibbs_steps = subject.gibbs_steps;
  m.log_likelihood = stage.log_likelihood;
  m.variance = of_estimates.variance();
  const double noise = of_batches.variance() / static_cast<double>(Repeats::batches);
  double distance = 0.0;
  for (Index k = 0; k < size; ++k) distance += (mean[k] - stage.exact[k]) * (mean[k] - stage.exact[k]);
  m.exact_norm = std::sqrt(square(stage.exact));
  m.mean_norm = std::sqrt(square(mean));
  const double along = std::inner_product(mean.begin(), mean.end(), stage.exact.begin(), 0.0);
  m.cosine = along / (m.mean_norm * m.exact_norm);
  m.noise = std::sqrt(noise);
  m.bias = std::sqrt(std::max(0.0, distance - noise));
  m.seconds = seconds / static_cast<double>(repeats.made());
  m.products = estimator->products(*stage.model, data.rows().size());
  return m;
}

Value to_value(const EstimatorMeasure& measure) {
  Value table = make_table();
  for (const auto& [name, field] : kept_fields) table.set(name, make_value(measure.*field));
  return table;
}

EstimatorMeasure measure_from_value(std::uint64_t seed, std::uint64_t updates, const StudiedEstimator& subject,
                                    const Value& value) {
  EstimatorMeasure m;
  m.seed = seed;
  m.updates = updates;
  m.estimator = subject.name;
  m.gibbs_steps = subject.gibbs_steps;
  for (const auto& [name, field] : kept_fields) m.*field = entry_of_part<double>(value, name);
  return m;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
