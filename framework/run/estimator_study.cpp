// harmonium study estimators
#include <harmonium/framework/run/estimator_study.hpp>

#include <time.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/folder_lock.hpp>
#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/pictures/gnuplot.hpp>
#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/framework/training/batches.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

namespace fs = std::filesystem;

constexpr double most_bits = 24;

Value whole(std::uint64_t n) { return make_value(static_cast<std::int64_t>(n)); }

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A machine at one stage of its training, and the exact gradient there.
struct Stage {
  std::uint64_t seed = 0, updates = 0;
  std::unique_ptr<EnergyModel> model;
  double log_likelihood = 0.0;
  std::vector<double> exact;
};

/// Keeps copies of the machine as it is trained.
class Collector final : public TrainingHost {
 public:
  Collector(const EstimatorStudyOptions& options, const EnergyModel& model, std::uint64_t seed,
            const Executor& executor, std::vector<Stage>& stages)
      : options_(options), model_(model), seed_(seed), executor_(executor), stages_(stages) {}
  Verdict between_updates(const TrainingPosition& position, bool) override {
    executor_.check_stop();
    for (const double at : options_.updates) {
      if (static_cast<double>(position.update) != at) continue;
      stages_.push_back({seed_, position.update, model_.copy(), 0.0, {}});
    }
    return Verdict::go_on;
  }
  void recorded(std::uint64_t, std::uint64_t, const MetricRecord&, double) override {}

 private:
  const EstimatorStudyOptions& options_;
  const EnergyModel& model_;
  std::uint64_t seed_;
  const Executor& executor_;
  std::vector<Stage>& stages_;
};

Value machine_config(const EstimatorStudyOptions& options, std::uint64_t seed) {
  const Value d = whole(options.size);
  const Index rows = options.data_set == "diagonal" ? options.size + 1 : 2 * options.size * ((options.size - 1) / 2);
  const auto most = static_cast<std::uint64_t>(*std::ranges::max_element(options.updates));
  Value observers;
  observers.data = Value::List{};
  // What every run measures, this one does not wait for.
  for (const char* name :
       {"log_likelihood", "pseudo_likelihood", "reconstruction_error", "gradient_norm", "weight_norms"})
    std::get<Value::List>(observers.data).push_back(make_table({{"type", make_value(name)}, {"every", whole(most)}}));
  std::get<Value::List>(observers.data).resize(3);  // the last two have no interval
  return make_table(
      {{"seed", whole(seed)},
       {"precision", make_value("float64")},
       {"data", make_table({{"type", make_value(options.data_set)}, {"size", d}})},
       {"model", make_table({{"type", make_value("rbm")},
                             {"num_visible", d},
                             {"num_hidden", options.num_hidden > 0 ? whole(options.num_hidden) : d}})},
       {"initializer", make_table({{"type", make_value("uniform")},
                                   {"limit", make_value(1.0 / static_cast<double>(options.size))},
                                   {"visible_bias", make_value("zero")}})},
       {"estimator", make_table({{"type", make_value("exact")}})},
       {"optimizer", make_table({{"type", make_value("sgd")}, {"learning_rate", make_value(options.learning_rate)}})},
       {"training", make_table({{"batch_size", whole(rows)}, {"num_updates", whole(most)}})},
       {"observers", std::move(observers)}});
}

std::vector<StudiedEstimator> subjects_of(const EstimatorStudyOptions& options, const Registries& registries) {
  std::vector<StudiedEstimator> all;
  const auto& entries = registries.of<GradientEstimator>().entries();
  for (const std::string& name : options.estimators) {
    Value spec = make_table({{"type", make_value(name)}});
    if (name == "tempered_pcd") {  // one ladder for all, so that none is still adapting itself
      Value betas;
      betas.data = Value::List{};
      for (const double b : {1.0, 0.8, 0.6, 0.4, 0.2, 0.0}) std::get<Value::List>(betas.data).push_back(make_value(b));
      spec.set("betas", std::move(betas));
    }
    const auto entry = entries.find(name);
    bool steps = false;
    if (entry != entries.end())
      for (const OptionInfo& option : entry->second.describe()) steps = steps || option.name == "gibbs_steps";
    if (!steps) {
      all.push_back({name, 0, std::move(spec)});
      continue;
    }
    for (const double k : options.gibbs_steps) {
      Value with_steps = spec;
      with_steps.set("gibbs_steps", whole(static_cast<std::uint64_t>(k)));
      all.push_back({name, static_cast<Index>(k), std::move(with_steps)});
    }
  }
  return all;
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

/// The rows of the data as one batch.
struct WholeData {
  explicit WholeData(const Dataset& data, const Layout& layout)
      : rows(rows_of(data, layout, 0, data.rows(), 0)),
        weights(data.rows(), 1.0 / static_cast<double>(data.rows())),
        marginals(data.column_means()),
        indices(data.rows()) {
    std::iota(indices.begin(), indices.end(), Index{0});
    for (const LayerId l : layout.ids()) rows.read(l);  // Current as Real before threads ask.
  }
  /// The direction of ascent.
  std::vector<double> estimate(GradientEstimator& estimator, const EnergyModel& model,
                               const Execution& execution) const {
    Posterior posterior;
    std::vector<Real> descent(model.parameters().size());
    estimator.estimate(model, {rows, weights, posterior, nullptr, marginals, indices}, descent, execution);
    std::vector<double> ascent(descent.begin(), descent.end());
    for (double& g : ascent) g = -g;
    return ascent;
  }
  Chains rows;
  std::vector<double> weights, marginals;
  std::vector<Index> indices;
};

EstimatorMeasure measure(const Stage& stage, const StudiedEstimator& subject, const EstimatorStudyOptions& options,
                         const WholeData& data, const Registries& registries, const std::atomic<bool>* stop) {
  const Executor alone(1, stop);
  const Execution execution{alone, RandomSource{stage.seed, 0}.child(fmt::format("study/{}/{}/{}", subject.name,
                                                                                 subject.gibbs_steps, stage.updates))};
  Value effective;
  const auto estimator = registries.make<GradientEstimator>(subject.spec, effective);
  estimator->check(*stage.model);
  estimator->begin(*stage.model, {.rows = data.rows.size()});
  for (Index i = 0; i < options.warm_up; ++i) data.estimate(*estimator, *stage.model, execution);

  const Index size = stage.exact.size(), each = options.repeats / EstimatorStudyOptions::batches;
  std::vector<double> batch(size);
  Spread of_estimates(size), of_batches(size);
  double seconds = 0.0;
  for (Index b = 0; b < EstimatorStudyOptions::batches; ++b) {
    std::ranges::fill(batch, 0.0);
    for (Index i = 0; i < each; ++i) {
      alone.check_stop();
      const double start = processor_seconds();
      const std::vector<double> g = data.estimate(*estimator, *stage.model, execution);
      seconds += processor_seconds() - start;
      of_estimates.add(g);
      for (Index k = 0; k < size; ++k) batch[k] += g[k] / static_cast<double>(each);
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
  const double noise = of_batches.variance() / static_cast<double>(EstimatorStudyOptions::batches);
  double distance = 0.0;
  for (Index k = 0; k < size; ++k) distance += (mean[k] - stage.exact[k]) * (mean[k] - stage.exact[k]);
  m.exact_norm = std::sqrt(square(stage.exact));
  m.mean_norm = std::sqrt(square(mean));
  const double along = std::inner_product(mean.begin(), mean.end(), stage.exact.begin(), 0.0);
  m.cosine = along / (m.mean_norm * m.exact_norm);
  m.noise = std::sqrt(noise);
  m.bias = std::sqrt(std::max(0.0, distance - noise));
  m.seconds = seconds / static_cast<double>(options.repeats_made());
  m.products = estimator->products(*stage.model, data.rows.size());
  return m;
}

/// The expected cosine of the mean of `number` estimates.
double cosine_of(const EstimatorMeasure& m, double number, const EstimatorStudyOptions& options) {
  const double noise = m.noise * m.noise, along = m.cosine * m.mean_norm;
  const double mean = std::max(m.mean_norm * m.mean_norm - noise, along * along);
  const double of_one = noise * static_cast<double>(options.repeats_made());
  return along / std::sqrt(mean + of_one / std::max(1.0, number));
}

/// The folder, locked; throws ConfigError where it holds another study.
FolderLock open_folder(const StudyRequest& request, const fs::path& path, const Value& effective) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error))
    throw ConfigError(
        fmt::format("--output {}: a file of this name exists. Give the name of a folder.", path.string()));
  const bool same = fs::exists(path / "config.toml", error) && read_toml(path / "config.toml") == effective;
  if (!same && !request.overwrite &&
      (fs::exists(path / "config.toml", error) || fs::exists(path / "estimators.csv", error)))
    throw ConfigError(fmt::format(
        "--output {}: the folder holds another study. Take another folder, or add --overwrite to replace it.",
        path.string()));
  fs::create_directories(path, error);
  if (error) throw FileError(fmt::format("cannot create the folder {}: {}", path.string(), error.message()));
  return {path, "studies"};
}

}  // namespace

void EstimatorStudyOptions::bind(OptionBinder& o) {
  o.option("estimators", estimators, "what is compared, each with its defaults");
  o.option("gibbs_steps", gibbs_steps, "k of the estimators that have one: whole numbers from 1");
  o.option("data_set", data_set, "diagonal or one_d_ball");
  o.option("size", size, "d, the number of visible units", within(3, 11));
  o.option("num_hidden", num_hidden, "hidden units; 0: as many as visible ones", within(0, 12));
  o.option("learning_rate", learning_rate, "of the exact gradient, which trains the machines", more_than(0));
  o.option("updates", updates, "after how many the estimators are compared: whole numbers from 1");
  o.option("num_seeds", num_seeds, "machines", at_least(1));
  o.option("seed", seed, "seed of the first machine; the others follow", at_least(0));
  o.option("repeats", repeats, "estimates of each kind, in 20 batches", at_least(40));
  o.option("warm_up", warm_up, "estimates before these, for chains that persist", at_least(0));
  o.option("budget", budget, "what is given to each: as much as so many estimates of CD-1 cost", at_least(1));
}

void EstimatorStudyOptions::validate() const {
  if (estimators.empty() || gibbs_steps.empty() || updates.empty())
    throw ConfigError(fmt::format("'{}' is empty, which leaves nothing to study.", estimators.empty()    ? "estimators"
                                                                                   : gibbs_steps.empty() ? "gibbs_steps"
                                                                                                         : "updates"));
  const std::pair<const char*, const std::vector<double>*> lists[] = {{"gibbs_steps", &gibbs_steps},
                                                                      {"updates", &updates}};
  for (const auto& [name, values] : lists)
    for (const double v : *values)
      if (v != std::floor(v) || v < 1 || v > 1e7)
        throw ConfigError(fmt::format("'{}' holds {:g}, and whole numbers from 1 to 10000000 are expected.", name, v));
  if (data_set != "diagonal" && data_set != "one_d_ball")
    throw ConfigError(fmt::format("'data_set' is '{}'{}. Known: diagonal, one_d_ball.", data_set,
                                  did_you_mean(data_set, {"diagonal", "one_d_ball"})));
}

StudyOutcome study_estimators(const StudyRequest& request, const Registries& registries) {
  EstimatorStudyOptions options;
  Value config = request.config;
  if (request.seed) config.set("seed", make_value(static_cast<std::int64_t>(*request.seed)));
  const Value effective = read_options(config, "study 'estimators'", options);
  const Executor executor(request.threads, request.stop);
  const std::vector<StudiedEstimator> subjects = subjects_of(options, registries);
  Value unused;
  {  // Mistakes are told before anything is computed or written.
    const Experiment example(machine_config(options, options.seed), registries, "", executor);
    for (const StudiedEstimator& s : subjects)
      registries.make<GradientEstimator>(s.spec, unused)->check(example.model());
  }
  const fs::path path = fs::absolute(request.output);
  const FolderLock lock = open_folder(request, path, effective);
  const auto gnuplot = find_gnuplot();
  if (request.display && !gnuplot)
    request.display->warn("gnuplot is not installed: the study has its table, but no figure. Debian: gnuplot-nox.");

  std::vector<Stage> stages;
  std::unique_ptr<WholeData> data;
  for (Index s = 0; s < options.num_seeds; ++s) {
    Experiment experiment(machine_config(options, options.seed + s), registries, "", executor);
    if (!data) data = std::make_unique<WholeData>(experiment.data().train, experiment.model().layout());
    Collector collector(options, experiment.model(), options.seed + s, executor, stages);
    TrainingPosition position;
    experiment.run(position, collector, executor);
  }
  const auto exact = registries.make<GradientEstimator>(make_table({{"type", make_value("exact")}}), unused);
  for (Stage& stage : stages) {
    stage.exact = data->estimate(*exact, *stage.model, {executor, {}});
    stage.log_likelihood = -mean_free_energy(*stage.model, data->rows, 1.0, executor) -
                           Enumeration(*stage.model, {}, most_bits).log_sum(1.0, nullptr, executor);
  }

  // The yardstick first, then every estimator at every stage, several at a time.
  const StudiedEstimator cd{"cd", 1, make_table({{"type", make_value("cd")}})};
  std::vector<EstimatorMeasure> yardsticks(stages.size()), all(stages.size() * subjects.size());
  executor.for_each_piece(stages.size(), 1, [&](Index i, Index) {
    yardsticks[i] = measure(stages[i], cd, options, *data, registries, request.stop);
  });
  executor.for_each_piece(all.size(), 1, [&](Index i, Index) {
    const Index stage = i / subjects.size();
    EstimatorMeasure& m = all[i];
    m = measure(stages[stage], subjects[i % subjects.size()], options, *data, registries, request.stop);
    const double budget = static_cast<double>(options.budget);
    m.at_equal_products = cosine_of(m, budget * yardsticks[stage].products / m.products, options);
    m.at_equal_seconds = cosine_of(m, budget * yardsticks[stage].seconds / m.seconds, options);
  });

  write_file_atomically(path / "config.toml", write_toml(effective));
  write_file_atomically(path / "estimators.csv", estimators_csv(options, all));
  if (gnuplot) draw_figure(*gnuplot, path / "equal_compute", equal_compute_figure(options, subjects, all), {1100, 420});
  return {.folder = path.string(),
          .text = estimator_summary(options, subjects, all) + fmt::format("{}\n", (path / "estimators.csv").string()),
          .done = options.num_seeds,
          .total = options.num_seeds};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
