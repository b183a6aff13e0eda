// harmonium study estimators
#include <harmonium/framework/run/estimator_study.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/unfinished.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/pictures/gnuplot.hpp>
#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/framework/run/study_parts.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double most_study_bits = 24;

/// Keeps copies of the machine as it is trained.
class Collector final : public TrainingHost {
 public:
  Collector(const EstimatorStudyOptions& options, const EnergyModel& model, std::uint64_t seed,
            const Executor& executor, std::vector<StudiedStage>& stages)
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
  std::vector<StudiedStage>& stages_;
};

/// The same γ = 1/σ² for all visible units; it is not learned.
void set_deviation(EnergyModel& model, double deviation) {
  const ParameterLayout& parameters = model.parameter_layout();
  const ParameterBlock& precision = parameters[parameters.find("log_precision.visible")];
  model.update_parameters([&](std::span<Real> theta) {
    std::ranges::fill(theta.subspan(precision.offset, precision.size()), static_cast<Real>(-2.0 * std::log(deviation)));
  });
}

/// The machine of one seed at the stages of its training.
std::vector<StudiedStage> train(const EstimatorStudyOptions& options, std::uint64_t seed, const WholeData& data,
                                const Registries& registries, const Executor& executor) {
  std::vector<StudiedStage> stages;
  Experiment experiment(machine_config(options, seed), registries, "", executor);
  if (options.deviation) set_deviation(experiment.model(), *options.deviation);
  Collector collector(options, experiment.model(), seed, executor, stages);
  TrainingPosition position;
  try {
    experiment.run(position, collector, executor);
  } catch (const Diverged&) {
    throw NumericalError(fmt::format(
        "study 'estimators': the training of the machine of seed {} diverged (learning_rate = {:g}). Lower "
        "learning_rate{}.",
        seed, options.learning_rate,
        options.gaussian() ? fmt::format(", or bring deviation nearer to {:g}", EstimatorStudyOptions::usual_deviation)
                           : std::string()));
  }
  Value unused;
  const auto exact = registries.make<GradientEstimator>(make_table({{"type", make_value("exact")}}), unused);
  for (StudiedStage& stage : stages) {
    stage.exact = data.estimate(*exact, *stage.model, {executor, {}});
    stage.log_likelihood = -mean_free_energy(*stage.model, data.rows(), 1.0, executor) -
                           Enumeration(*stage.model, {}, most_study_bits).log_sum(1.0, nullptr, executor);
  }
  return stages;
}

/// One part of the study.
struct Cell {
  std::uint64_t seed = 0, updates = 0;
  const StudiedEstimator* subject = nullptr;

  std::string name() const {
    const std::string steps = subject->gibbs_steps > 0 ? fmt::format("_{}", subject->gibbs_steps) : "";
    return fmt::format("{}_{}_{}{}", seed, updates, subject->name, steps);
  }
};

/// What is studied, and what of the known estimators does not serve the machine.
struct Subjects {
  std::vector<StudiedEstimator> all;
  std::vector<std::string> left_out;
};

/// Settles `options.estimators`. Throws CapabilityError where one was asked for by name that does not serve the machine.
Subjects subjects_of(EstimatorStudyOptions& options, const EnergyModel& model, const Registries& registries) {
  Subjects subjects;
  const bool asked = !options.estimators.empty();
  for (const std::string& name : asked ? options.estimators : EstimatorStudyOptions::known_estimators()) {
    std::vector<StudiedEstimator> own = studied(name, options, registries);
    try {
      Value unused;
      for (const StudiedEstimator& s : own) registries.make<GradientEstimator>(s.spec, unused)->check(model);
    } catch (const CapabilityError&) {
      if (asked) throw;
      subjects.left_out.push_back(name);
      continue;
    }
    std::ranges::move(own, std::back_inserter(subjects.all));
  }
  if (asked) return subjects;
  for (const StudiedEstimator& s : subjects.all)
    if (options.estimators.empty() || options.estimators.back() != s.name) options.estimators.push_back(s.name);
  return subjects;
}

/// Makes the parts that are missing. Machines are trained again where any of theirs is: they come out the same.
void make_parts(const EstimatorStudyOptions& options, const std::vector<Cell>& cells, StudyParts& parts,
                const WholeData& data, const Registries& registries, const StudyRequest& request) {
  const Executor executor(request.threads, request.stop);
  std::map<std::pair<std::uint64_t, std::uint64_t>, StudiedStage> stages;
  for (Index s = 0; s < options.num_seeds; ++s) {
    const std::uint64_t seed = options.seed + s;
    if (std::ranges::none_of(parts.missing(), [&](Index part) { return cells[part].seed == seed; })) continue;
    for (StudiedStage& stage : train(options, seed, data, registries, executor))
      stages[{stage.seed, stage.updates}] = std::move(stage);
  }
  parts.make([&](Index part) {
    const Cell& cell = cells[part];
    return to_value(measure(stages.at({cell.seed, cell.updates}), *cell.subject, options.repetition(), data, registries,
                            request.stop));
  });
}

constexpr const char* no_gnuplot =
    "gnuplot is not installed: the study has its table, but no figure. Install it (Debian: gnuplot-nox) and give the "
    "same command once more: what was computed is kept.";

}  // namespace

StudyOutcome study_estimators(const StudyRequest& request, const Registries& registries) {
  EstimatorStudyOptions options;
  Value config = request.config;
  if (request.seed) config.set("seed", make_value(static_cast<std::int64_t>(*request.seed)));
  read_options(config, "study 'estimators'", options);
  if (options.gaussian() && !options.deviation) options.deviation = EstimatorStudyOptions::usual_deviation;
  // Mistakes are told before anything is computed or written.
  const Experiment example(machine_config(options, options.seed), registries, "", Executor(1));
  const Subjects subjects = subjects_of(options, example.model(), registries);
  const Value effective = write_options([&](OptionBinder& binder) { options.bind(binder); });
  const UnfinishedWork unfinished;
  const StudyFolder folder(request, effective);
  const auto gnuplot = find_gnuplot();

  // CD-1 is the yardstick at every stage, whether it is asked for or not.
  const StudiedEstimator yardstick{"cd", 1, make_table({{"type", make_value("cd")}})};
  std::vector<Cell> cells;
  std::vector<std::string> names;
  for (Index s = 0; s < options.num_seeds; ++s)
    for (const double updates : options.updates) {
      Cell cell{options.seed + s, static_cast<std::uint64_t>(updates), &yardstick};
      cells.push_back(cell);
      for (const StudiedEstimator& subject : subjects.all) {
        cell.subject = &subject;
        if (!(subject == yardstick)) cells.push_back(cell);
      }
    }
  for (const Cell& cell : cells) names.push_back(cell.name());
  StudyParts parts(request, folder, names, "measurements");
  if (request.display && !gnuplot) request.display->warn(no_gnuplot);
  parts.announce();
  StudyOutcome outcome{.folder = folder.path().string(), .text = {}, .done = 0, .total = parts.total()};
  outcome.parts = "measurements";
  try {
    make_parts(options, cells, parts, WholeData(example.data().train, example.model().layout()), registries, request);
  } catch (const Stopped&) {
    outcome.done = parts.done();
    return outcome;
  }
  outcome.done = parts.done();

  std::map<std::string, EstimatorMeasure> measured;
  for (Index i = 0; i < cells.size(); ++i)
    measured[names[i]] = measure_from_value(cells[i].seed, cells[i].updates, *cells[i].subject, parts.read(i));
  std::vector<EstimatorRow> rows;
  const auto budget = static_cast<double>(options.budget);
  for (Index s = 0; s < options.num_seeds; ++s)
    for (const double updates : options.updates) {
      Cell cell{options.seed + s, static_cast<std::uint64_t>(updates), &yardstick};
      const EstimatorMeasure& one = measured.at(cell.name());
      for (const StudiedEstimator& subject : subjects.all) {
        cell.subject = &subject;
        const EstimatorMeasure& m = measured.at(cell.name());
        rows.push_back({m, m.cosine_of(budget * one.products / m.products, options.repetition()),
                        m.cosine_of(budget * one.seconds / m.seconds, options.repetition())});
      }
    }
  const std::filesystem::path& path = folder.path();
  if (gnuplot)
    draw_figure(*gnuplot, path / "equal_compute", equal_compute_figure(options, subjects.all, rows), {1100, 420});
  write_file_atomically(path / "estimators.csv", estimators_csv(options, rows));
  outcome.text = estimator_summary(options, subjects.all, rows);
  if (!subjects.left_out.empty())
    outcome.text += fmt::format("not for {} visible units, and left out: {}\n",
                                options.gaussian() ? "Gaussian" : "binary", fmt::join(subjects.left_out, ", "));
  outcome.text += fmt::format("{}\n", (path / "estimators.csv").string());
  return outcome;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
