#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>

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

}  // namespace

GradientFigures gradient(const GradientRequest& request, const Registries& builtin) {
  const ModelHeader header = read_model_header(request.model);
  const Registries registries = with_plugins(builtin, request, header);
  const Value options = command_options(request.set, {"data", "estimator", "against"});
  if (!request.output.ends_with(".h5"))
    throw ConfigError(
        fmt::format("--output {}: gradients are written as .h5. Give a name that ends so.", request.output));
  check_output(request.output, {request.model, request.data});
  if (request.against.empty() && options.find("against"))
    throw ConfigError("--set against.NAME: nothing is compared. Add --against NAME, such as --against exact.");
  const Value spec = component_spec(options, "estimator", request.estimator);
  Value effective;
  // Mistakes in either are told before files are read.
  const std::unique_ptr<GradientEstimator> asked = registries.make<GradientEstimator>(spec, effective);
  std::unique_ptr<GradientEstimator> against;
  if (!request.against.empty()) {
    Value against_effective;
    against =
        registries.make<GradientEstimator>(component_spec(options, "against", request.against), against_effective);
  }
  const std::unique_ptr<EnergyModel> model = load_model(request.model, header, registries);
  const Layout& layout = model->layout();
  const ParameterLayout& parameters = model->parameter_layout();
  const Executor executor(request.threads, request.stop);
  const RandomSource random = random_of(request, header.config);

  const Value data_value = data_spec(header.config, request.data, options);
  if (!data_value.is_table())
    throw ConfigError("gradient: no data is given. Add --data FILE, or say what to make with --set data.type=NAME.");
  const Dataset data = load_rows(request.model, data_value, layout, registries, random.child("data"));
  asked->check(*model);
  if (against) against->check(*model);
  const auto together = static_cast<Index>(
      std::min<std::uint64_t>(request.repeats, static_cast<std::uint64_t>(std::max(executor.threads(), 1))));
  {
    // θ, and in double the mean, the squares and what they are compared with; of each repeat the estimate and its negative.
    const auto entries = static_cast<double>(parameters.size());
    const auto beside = static_cast<double>(together);
    const auto cells = static_cast<double>(data.rows()) * static_cast<double>(layout.columns(layout.all()));
    MemoryNeed need;
    need.add("the parameters and gradients", entries * (sizeof(Real) + 3 * sizeof(double)), "");
    need.add("the estimates side by side", beside * entries * (sizeof(Real) + 2 * sizeof(double)), "--threads");
    need.add("the data", data.bytes(), "the rows of the data");
    need.add("the rows as one batch and their posterior", 3.0 * cells * sizeof(Real), "the rows of the data");
    for (Index i = 0; i < together; ++i) asked->memory(*model, data.rows(), need);
    if (against) against->memory(*model, data.rows(), need);
    need.check("the gradient");
  }
  const Chains rows = rows_of(data, layout, 0, data.rows(), 0);
  const std::vector<double> weights(data.rows(), 1.0 / static_cast<double>(data.rows()));
  const std::vector<double> marginals = data.column_means();
  std::vector<Index> indices(data.rows());
  std::iota(indices.begin(), indices.end(), Index{0});

  // The direction of ascent of the mean log likelihood.
  GradientEstimator::Report first_report;
  std::optional<MeetingReport> meetings;  // of all repeats
  const auto estimate = [&](GradientEstimator& estimator, const Execution& execution,
                            GradientEstimator::Report* kept = nullptr) {
    Posterior posterior;
    std::vector<Real> descent(parameters.size());
    GradientEstimator::Report report =
        estimator.estimate(*model, {rows, weights, posterior, nullptr, marginals, indices}, descent, execution);
    if (kept) *kept = std::move(report);
    std::vector<double> ascent(descent.begin(), descent.end());
    for (double& g : ascent) g = -g;
    return ascent;
  };

  std::optional<std::vector<double>> exact;
  if (against) {
    against->begin(*model, {.rows = data.rows()});
    exact = estimate(*against, {executor, random.child("against")});
  }

  // Every repeat is an estimator of its own, with words of its own and chains from its own start, which the warm-up moves on.
  // Several run side by side, each on one thread, and are added up in their order: the figures do not depend on how many.
  std::vector<double> mean(parameters.size(), 0.0), squares(parameters.size(), 0.0);
  const Executor alone(1, request.stop);
  for (const LayerId l : layout.ids()) rows.read(l);  // Current as Real before threads ask.
  for (std::uint64_t first = 0; first < request.repeats; first += together) {
    const auto count = static_cast<Index>(std::min<std::uint64_t>(together, request.repeats - first));
    std::vector<std::unique_ptr<GradientEstimator>> estimators;
    for (Index i = 0; i < count; ++i) {
      estimators.push_back(registries.make<GradientEstimator>(spec, effective));
      estimators.back()->begin(*model, {.rows = data.rows()});
    }
    std::vector<std::vector<double>> estimates(count);
    std::vector<GradientEstimator::Report> reports(count);
    executor.for_each_piece(count, 1, [&](Index i, Index) {
      const Execution own{together > 1 ? alone : executor,
                          random.child("gradient").child(fmt::format("{}", first + i))};
      for (std::uint64_t n = 0; n < request.warm_up; ++n) {
        own.executor.check_stop();
        estimate(*estimators[i], own);
      }
      estimates[i] = estimate(*estimators[i], own, &reports[i]);
    });
    if (first == 0) first_report = reports[0];
    for (const GradientEstimator::Report& report : reports) {
      if (!report.negative.meetings) continue;
      if (!meetings) meetings.emplace();
      meetings->add(*report.negative.meetings);
    }
    for (Index i = 0; i < count; ++i) {
      const std::vector<double>& g = estimates[i];
      const double n = static_cast<double>(first + i + 1);
      for (Index k = 0; k < g.size(); ++k) {  // Welford 1962
        const double change = g[k] - mean[k];
        mean[k] += change / n;
        squares[k] += change * (g[k] - mean[k]);
      }
    }
    executor.check_stop();
    const std::uint64_t done = first + count;
    if (request.display)
      request.display->progress(static_cast<double>(done) / static_cast<double>(request.repeats),
                                fmt::format("estimate {}/{}", done, request.repeats));
  }
  std::vector<double> variance;
  if (request.repeats > 1) {
    variance = squares;
    for (double& v : variance) v /= static_cast<double>(request.repeats - 1);
  }

  Hdf5File file = Hdf5File::create(request.output);
  write_tensors(file, "gradient", parameters, mean);
  if (!variance.empty()) write_tensors(file, "variance", parameters, variance);
  if (exact) write_tensors(file, "against", parameters, *exact);
  file.close();

  if (meetings)
    first_report.negative.method +=
        fmt::format(", meeting after {:.3g} steps on average, {} at most", meetings->mean(), meetings->most);
  GradientFigures figures{{}, used(first_report.positive), used(first_report.negative)};
  const std::vector<double>* e = exact ? &*exact : nullptr;
  for (const ParameterBlock& b : parameters.blocks())
    figures.tensors.push_back(compare(b.name, {&b, 1}, mean, variance, e));
  figures.tensors.push_back(compare("all", parameters.blocks(), mean, variance, e));
  if (request.display) request.display->finish();
  return figures;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
