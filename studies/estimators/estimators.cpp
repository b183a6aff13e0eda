#include <harmonium/studies/estimators/estimators.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/pictures/gnuplot.hpp>
#include <harmonium/framework/studies/part_names.hpp>

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

/// CD-1 is the yardstick at every stage, whether it is asked for or not.
const StudiedEstimator& yardstick() {
  static const StudiedEstimator cd{"cd", 1, make_table({{"type", make_value("cd")}})};
  return cd;
}

}  // namespace

std::string EstimatorStudy::Cell::name() const {
  const std::string steps = subject.gibbs_steps > 0 ? fmt::format("_{}", subject.gibbs_steps) : "";
  return fmt::format("{}_{}_{}{}", seed, updates, subject.name, steps);
}

Value EstimatorStudy::begin(const Registries& registries, Value) {
  if (options_.gaussian() && !options_.deviation) options_.deviation = EstimatorStudyOptions::usual_deviation;
  example_ = std::make_unique<Experiment>(machine_config(options_, options_.seed), registries, "", Executor(1));
  settle_subjects(example_->model(), registries);
  for (Index s = 0; s < options_.num_seeds; ++s)
    for (const double updates : options_.updates) {
      Cell cell{options_.seed + s, static_cast<std::uint64_t>(updates), yardstick()};
      cells_.push_back(cell);
      for (const StudiedEstimator& subject : subjects_) {
        cell.subject = subject;
        if (!(subject == yardstick())) cells_.push_back(cell);
      }
    }
  return write_options([&](OptionBinder& binder) { options_.bind(binder); });
}

/// Settles which estimators there are. Throws CapabilityError where one was asked for by name that does not serve the
/// machine.
void EstimatorStudy::settle_subjects(const EnergyModel& model, const Registries& registries) {
  const bool asked = !options_.estimators.empty();
  for (const std::string& name : asked ? options_.estimators : EstimatorStudyOptions::known_estimators()) {
    std::vector<StudiedEstimator> own = studied(name, options_, registries);
    try {
      Value unused;
      for (const StudiedEstimator& s : own) registries.make<GradientEstimator>(s.spec, unused)->check(model);
    } catch (const CapabilityError&) {
      if (asked) throw;
      left_out_.push_back(name);
      continue;
    }
    std::ranges::move(own, std::back_inserter(subjects_));
  }
  if (asked) return;
  for (const StudiedEstimator& s : subjects_)
    if (options_.estimators.empty() || options_.estimators.back() != s.name) options_.estimators.push_back(s.name);
}

bool EstimatorStudy::is_part(const std::string& name) const {
  std::string_view left = name;
  if (!(take_number(left) && take(left, "_") && take_number(left) && take(left, "_"))) return false;
  const auto is_of = [&](const std::string& estimator) {
    std::string_view steps = left;
    return take(steps, estimator) && (steps.empty() || (take(steps, "_") && take_number(steps) && steps.empty()));
  };
  return is_of(yardstick().name) || std::ranges::any_of(options_.estimators, is_of);
}

std::string EstimatorStudy::remark() const {
  return find_gnuplot() ? "" : without_gnuplot("the study has its tables, but no figures");
}

std::vector<std::string> EstimatorStudy::parts() const {
  std::vector<std::string> names;
  for (const Cell& cell : cells_) names.push_back(cell.name());
  return names;
}

/// The machine of one seed at the stages of its training.
std::vector<StudiedStage> EstimatorStudy::train(std::uint64_t seed, const WholeData& data, const Registries& registries,
                                                const Executor& executor) const {
  std::vector<StudiedStage> stages;
  Experiment experiment(machine_config(options_, seed), registries, "", executor);
  if (options_.deviation) set_deviation(experiment.model(), *options_.deviation);
  Collector collector(options_, experiment.model(), seed, executor, stages);
  TrainingPosition position;
  try {
    experiment.run(position, collector, executor);
  } catch (const Diverged&) {
    throw NumericalError(fmt::format(
        "study 'estimators': the training of the machine of seed {} diverged (learning_rate = {:g}). Lower "
        "learning_rate{}.",
        seed, options_.learning_rate,
        options_.gaussian() ? fmt::format(", or bring deviation nearer to {:g}", EstimatorStudyOptions::usual_deviation)
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

/// Machines are trained again where any part of theirs is missing: they come out the same.
void EstimatorStudy::make(StudyParts& parts, const Registries& registries) const {
  const Executor executor(parts.work().threads, parts.work().stop);
  const WholeData data(example_->data().train, example_->model().layout());
  std::map<std::pair<std::uint64_t, std::uint64_t>, StudiedStage> stages;
  for (Index s = 0; s < options_.num_seeds; ++s) {
    const std::uint64_t seed = options_.seed + s;
    if (std::ranges::none_of(parts.missing(), [&](Index part) { return cells_[part].seed == seed; })) continue;
    for (StudiedStage& stage : train(seed, data, registries, executor))
      stages[{stage.seed, stage.updates}] = std::move(stage);
  }
  parts.make([&](Index part) {
    const Cell& cell = cells_[part];
    return to_value(measure(stages.at({cell.seed, cell.updates}), cell.subject, options_.repetition(), data, registries,
                            parts.work().stop));
  });
}

/// What was measured of each estimator at each stage, and what that comes to at equal compute.
std::vector<EstimatorRow> EstimatorStudy::rows(const StudyParts& parts) const {
  std::map<std::string, EstimatorMeasure> measured;
  for (Index i = 0; i < cells_.size(); ++i)
    measured[cells_[i].name()] =
        measure_from_value(cells_[i].seed, cells_[i].updates, cells_[i].subject, parts.read(i));
  std::vector<EstimatorRow> rows;
  const auto budget = static_cast<double>(options_.budget);
  for (Index s = 0; s < options_.num_seeds; ++s)
    for (const double updates : options_.updates) {
      Cell cell{options_.seed + s, static_cast<std::uint64_t>(updates), yardstick()};
      const EstimatorMeasure& one = measured.at(cell.name());
      for (const StudiedEstimator& subject : subjects_) {
        cell.subject = subject;
        const EstimatorMeasure& m = measured.at(cell.name());
        rows.push_back({m, m.cosine_of(budget * one.products / m.products, options_.repetition()),
                        m.cosine_of(budget * one.seconds / m.seconds, options_.repetition())});
      }
    }
  return rows;
}

std::string EstimatorStudy::report(const StudyParts& parts, const std::filesystem::path& folder) const {
  const std::vector<EstimatorRow> table = rows(parts);
  if (const auto gnuplot = find_gnuplot())
    draw_figure(*gnuplot, folder / "equal_compute", equal_compute_figure(options_, subjects_, table), {1100, 420});
  write_file_atomically(folder / "estimators.csv", estimators_csv(options_, table));
  std::string text = estimator_summary(options_, subjects_, table);
  if (!left_out_.empty())
    text += fmt::format("not for {} visible units, and left out: {}\n", options_.gaussian() ? "Gaussian" : "binary",
                        fmt::join(left_out_, ", "));
  return text + fmt::format("{}\n", (folder / "estimators.csv").string());
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
