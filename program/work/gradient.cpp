#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/run/whole_data.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/data_argument.hpp>
#include <harmonium/program/work/data_remarks.hpp>
#include <harmonium/program/work/own_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Figures for the entries of `blocks` that exist, a symmetric pair counted once.
GradientComparison compare(const std::string& name, std::span<const ParameterBlock> blocks,
                           const std::vector<double>& mean, const std::vector<double>& variance,
                           const std::vector<double>* exact) {
  GradientComparison result;
  result.name = name;
  double mm = 0, ee = 0, me = 0, dd = 0, vv = 0, count = 0, disagree = 0;
  for (const ParameterBlock& b : blocks) {
    for (Index r = 0; r < b.rows; ++r) {
      for (Index c = b.symmetry == Symmetry::none ? 0 : r + 1; c < b.cols; ++c) {
        const Index i = b.offset + r * b.cols + c;
        if (b.mask && (*b.mask)[i - b.offset] == 0) continue;
        mm += mean[i] * mean[i];
        ++count;
        if (!variance.empty()) vv += variance[i];
        if (!exact) continue;
        const double e = (*exact)[i];
        ee += e * e;
        me += mean[i] * e;
        dd += (mean[i] - e) * (mean[i] - e);
        const auto sign = [](double v) { return (v > 0) - (v < 0); };
        disagree += sign(mean[i]) != sign(e) ? 1 : 0;
      }
    }
  }
  result.norm = std::sqrt(mm);
  if (!variance.empty()) result.variance = vv / count;
  if (exact) {
    result.bias = std::sqrt(dd);
    result.against_norm = std::sqrt(ee);
    if (mm > 0 && ee > 0) result.cosine = me / std::sqrt(mm * ee);
    result.sign_disagreement = disagree / count;
  }
  return result;
}

std::optional<PhaseUsed> used(const PhaseReport& report) {
  if (report.method.empty()) return std::nullopt;
  return PhaseUsed{report.method, report.exact};
}

/// What a request names: two ways to estimate, the model and the data, read and found to go together.
struct Question {
  Question(const GradientRequest& request, const Registries& builtin);

  ModelHeader header;
  Registries registries;
  RandomSource random;
  Value spec;                                         ///< of the estimator that is asked for
  std::unique_ptr<GradientEstimator> asked, against;  ///< `against` may be null
  std::unique_ptr<EnergyModel> model;
  std::optional<Dataset> data;
  std::optional<std::uint64_t> own_rows;  ///< how many, where they are the run's

 private:
  Dataset rows_of_run(const GradientRequest& request);
};

Question::Question(const GradientRequest& request, const Registries& builtin)
    : header(read_model_header(request.model)),
      registries(with_plugins(builtin, request, header)),
      random(random_of(request, header.config)) {
  const Value options = command_options(request.set, {"data", "estimator", "against"});
  if (!request.output.empty() && !request.output.ends_with(".h5"))
    throw ConfigError(
        fmt::format("--output {}: gradients are written as .h5. Give a name that ends so.", request.output));
  const DataArgument given = data_argument(request.data, options, registries);
  if (!request.output.empty()) check_output(request.output, {request.model, given.file});
  if (request.against.empty() && options.find("against"))
    throw ConfigError("--set against.NAME: nothing is compared. Add --against NAME, such as --against exact.");
  // Mistakes in either are told before files are read.
  spec = component_spec(options, "estimator", request.estimator);
  Value unused;
  asked = registries.make<GradientEstimator>(spec, unused);
  if (!request.against.empty())
    against = registries.make<GradientEstimator>(component_spec(options, "against", request.against), unused);
  model = load_model(request.model, header, registries);
  const Value data_value = data_spec(header, model->layout(), given.file, given.options, request.display);
  if (data_value.is_table()) {
    data = load_rows(request.model, data_value, model->layout(), registries, random.child("data"));
    tell_of_states(*data, model->layout(), request.display);
  } else {
    if (!request.own_data)
      throw ConfigError("gradient: no data is given. Add --data FILE, or say what to make with --set data.type=NAME.");
    data = rows_of_run(request);
  }
  asked->check(*model);
  if (against) against->check(*model);
}

Dataset Question::rows_of_run(const GradientRequest& request) {
  Dataset train =
      own_data(request.model, header.config, model->layout(), registries, "Name other rows by --data FILE.").train;
  if (train.has_missing())
    throw CapabilityError("gradient: entries are missing in the run's own data. Name complete rows by --data FILE.");
  own_rows = train.rows();
  return train;
}

void check_memory(const Question& question, Index together) {
  // θ, and in double the mean, the squares and what they are compared with; of each repeat the estimate and its negative.
  const EnergyModel& model = *question.model;
  const Dataset& data = *question.data;
  const auto entries = static_cast<double>(model.parameter_layout().size());
  const auto beside = static_cast<double>(together);
  const auto cells =
      static_cast<double>(data.rows()) * static_cast<double>(model.layout().columns(model.layout().all()));
  MemoryNeed need;
  need.add("the parameters and gradients", entries * (sizeof(Real) + 3 * sizeof(double)), "");
  need.add("the estimates side by side", beside * entries * (sizeof(Real) + 2 * sizeof(double)), "--threads");
  need.add("the data", data.bytes(), "the rows of the data");
  need.add("the rows as one batch and their posterior", 3.0 * cells * sizeof(Real), "the rows of the data");
  for (Index i = 0; i < together; ++i) question.asked->memory(model, data.rows(), need);
  if (question.against) question.against->memory(model, data.rows(), need);
  need.check("the gradient");
}

/// The mean of all repeats, and how they vary.
class Repetition {
 public:
  Repetition(const GradientRequest& request, const Question& question, const WholeData& data, const Executor& executor,
             Index together)
      : request_(request),
        question_(question),
        data_(data),
        executor_(executor),
        together_(together),
        alone_(1, request.stop),
        mean_(question.model->parameter_layout().size(), 0.0),
        squares_(mean_) {}

  /// Every repeat is an estimator of its own, with words of its own and chains from its own start, which the warm-up moves
  /// on. Several run side by side, each on one thread, and are added up in their order: the figures do not depend on how
  /// many.
  void make() {
    for (std::uint64_t first = 0; first < request_.repeats; first += together_) {
      make_some(first, static_cast<Index>(std::min<std::uint64_t>(together_, request_.repeats - first)));
      executor_.check_stop();
      const std::uint64_t done = std::min<std::uint64_t>(first + together_, request_.repeats);
      if (request_.display)
        request_.display->progress(static_cast<double>(done) / static_cast<double>(request_.repeats),
                                   fmt::format("estimate {}/{}", done, request_.repeats));
    }
    if (meetings_)
      first_.negative.method +=
          fmt::format(", meeting after {:.3g} steps on average, {} at most", meetings_->mean(), meetings_->most);
  }

  const std::vector<double>& mean() const { return mean_; }
  /// Of one estimate; empty where there is but one.
  std::vector<double> variance() const {
    if (request_.repeats < 2) return {};
    std::vector<double> variance = squares_;
    for (double& v : variance) v /= static_cast<double>(request_.repeats - 1);
    return variance;
  }
  /// That of the first repeat, but for meetings, which are of all.
  const GradientEstimator::Report& report() const { return first_; }

 private:
  void make_some(std::uint64_t first, Index count) {
    std::vector<std::unique_ptr<GradientEstimator>> estimators;
    for (Index i = 0; i < count; ++i) {
      Value unused;
      estimators.push_back(question_.registries.make<GradientEstimator>(question_.spec, unused));
      estimators.back()->begin(*question_.model, data_.outline());
    }
    std::vector<std::vector<double>> estimates(count);
    std::vector<GradientEstimator::Report> reports(count);
    executor_.for_each_piece(count, 1, [&](Index i, Index) {
      const Execution own{together_ > 1 ? alone_ : executor_,
                          question_.random.child("gradient").child(fmt::format("{}", first + i))};
      estimators[i]->start(*question_.model, own);
      for (std::uint64_t n = 0; n < request_.warm_up; ++n) {
        own.executor.check_stop();
        data_.estimate(*estimators[i], *question_.model, own);
      }
      estimates[i] = data_.estimate(*estimators[i], *question_.model, own, &reports[i]);
    });
    if (first == 0) first_ = reports[0];
    for (const GradientEstimator::Report& report : reports) {
      if (!report.negative.meetings) continue;
      if (!meetings_) meetings_.emplace();
      meetings_->add(*report.negative.meetings);
    }
    for (Index i = 0; i < count; ++i) add(estimates[i], static_cast<double>(first + i + 1));
  }

  /// The n-th estimate (Welford 1962).
  void add(const std::vector<double>& g, double n) {
    for (Index k = 0; k < g.size(); ++k) {
      const double change = g[k] - mean_[k];
      mean_[k] += change / n;
      squares_[k] += change * (g[k] - mean_[k]);
    }
  }

  const GradientRequest& request_;
  const Question& question_;
  const WholeData& data_;
  const Executor& executor_;
  Index together_;
  Executor alone_;
  std::vector<double> mean_, squares_;
  GradientEstimator::Report first_;
  std::optional<MeetingReport> meetings_;
};

}  // namespace

GradientFigures gradient(const GradientRequest& request, const Registries& builtin) {
  const Question question(request, builtin);
  const EnergyModel& model = *question.model;
  const ParameterLayout& parameters = model.parameter_layout();
  const Executor executor(request.threads, request.stop);
  const auto together = static_cast<Index>(
      std::min<std::uint64_t>(request.repeats, static_cast<std::uint64_t>(std::max(executor.threads(), 1))));
  check_memory(question, together);
  const WholeData data(*question.data, model.layout());
  std::optional<std::vector<double>> exact;
  if (question.against) {
    const Execution own{executor, question.random.child("against")};
    question.against->begin(model, data.outline());
    question.against->start(model, own);
    exact = data.estimate(*question.against, model, own);
  }
  Repetition repetition(request, question, data, executor, together);
  repetition.make();
  const std::vector<double>& mean = repetition.mean();
  const std::vector<double> variance = repetition.variance();

  if (!request.output.empty()) {
    Hdf5File file = Hdf5File::create(request.output);
    write_tensors(file, "gradient", parameters, mean);
    if (!variance.empty()) write_tensors(file, "variance", parameters, variance);
    if (exact) write_tensors(file, "against", parameters, *exact);
    file.close();
  }

  GradientFigures figures{{}, used(repetition.report().positive), used(repetition.report().negative), {}};
  const std::vector<double>* e = exact ? &*exact : nullptr;
  for (const ParameterBlock& b : parameters.blocks())
    figures.tensors.push_back(compare(b.name, {&b, 1}, mean, variance, e));
  figures.tensors.push_back(compare("all", parameters.blocks(), mean, variance, e));
  figures.own_rows = question.own_rows;
  if (request.display) request.display->finish();
  return figures;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
