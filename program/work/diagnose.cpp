#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/mixing.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The rows that chains of one start begin at: of the run's own data, or of the file that was given.
std::optional<Chains> rows_to_start_from(const DiagnoseRequest& request, const ModelHeader& header,
                                         const Value& options, const Layout& layout, const Registries& registries,
                                         const RandomSource& random) {
  const Value spec = data_spec(header.config, request.data, options);
  if (!spec.is_table()) return {};
  const Dataset data = load_rows(request.model, spec, layout, registries, random);
  if (!has_probability(data, layout))
    throw ConfigError(
        "the data holds values between the units' states, and no chain can start there. Set data.binarize to make "
        "states "
        "of them.");
  return spread_rows(data, layout, request.chains, 0);
}

void check_memory(const DiagnoseRequest& request, const EnergyModel& model, const Sampler& sampler) {
  const double chains = 4.0 * static_cast<double>(request.chains);
  MemoryNeed need;
  need.add("the parameters", static_cast<double>(model.parameter_layout().size()) * sizeof(Real), "");
  need.add("the chains",
           chains * static_cast<double>(sampler.rungs()) *
               static_cast<double>(model.layout().columns(model.layout().all())) * sizeof(Real),
           "--chains");
  need.add("what is kept of them", chains * static_cast<double>(request.steps) * 8.0 * sizeof(double), "--steps");
  sampler.memory(model, need);
  need.check("the diagnosis");
}

/// What to do about it, and what the training could know.
std::vector<std::string> advice_on(const Diagnosis& found, const DiagnoseRequest& request, const Value& config) {
  std::vector<std::string> advice;
  if (!found.mixed && request.sampler == "gibbs")
    advice.push_back(
        fmt::format("Take more steps (--steps {}), or a sampler that passes between modes (--sampler "
                    "parallel_tempering).",
                    10 * request.steps));
  else if (!found.mixed) advice.push_back(fmt::format("Take more steps (--steps {}).", 10 * request.steps));
  const Value* estimator = config.find("estimator");
  const Value* steps = estimator ? estimator->find("gibbs_steps") : nullptr;
  const auto k = steps ? steps->number() : std::nullopt;
  if (k && request.sampler == "gibbs" && *k < found.autocorrelation_time)
    advice.push_back(fmt::format(
        "The run took gibbs_steps = {:g}, and {} forgets itself in about {:.3g} steps: chains that start at the "
        "data see little of what the model does elsewhere.",
        *k, found.slowest, found.autocorrelation_time));
  if (!found.mixed)
    advice.emplace_back(
        "Samples of these chains, and a log Z from one side, are not to be trusted: evaluate --log-z ais says whether "
        "both "
        "sides agree.");
  return advice;
}

}  // namespace

Diagnosis diagnose(const DiagnoseRequest& request, const Registries& builtin) {
  const ModelHeader header = read_model_header(request.model);
  const Registries registries = with_plugins(builtin, request, header);
  const Value options = command_options(request.set, {"data", "sampler"});
  Value effective;
  const std::unique_ptr<Sampler> sampler =
      registries.make<Sampler>(component_spec(options, "sampler", request.sampler), effective);
  const std::unique_ptr<EnergyModel> model = load_model(request.model, header, registries);
  const RandomSource random = random_of(request, header.config);
  check_memory(request, *model, *sampler);
  const std::optional<Chains> rows =
      rows_to_start_from(request, header, options, model->layout(), registries, random.child("data"));
  const Executor executor(request.threads, request.stop);
  const MixingPlan plan{.chains_per_start = request.chains, .num_steps = request.steps, .beta = request.beta};
  const MixingReport report = examine_mixing(*model, *sampler, rows ? &*rows : nullptr, plan,
                                             {executor, random.child("diagnose"), request.display});
  Diagnosis found;
  found.starts = report.starts;
  found.num_chains = report.num_chains;
  found.num_steps = report.num_steps;
  for (const ObservableMixing& o : report.observables)
    found.numbers.push_back({o.name, o.mean, o.error, o.monotone_time, o.batch_time, o.r_hat, o.equal_means});
  found.slowest = report.slowest().name;
  found.autocorrelation_time = report.slowest().time();
  found.effective_sample_size = report.effective_sample_size();
  if (report.moves.ladder) found.moves = report.moves.ladder->summary();
  else if (report.moves.proposed > 0) found.moves = report.moves.summary();
  found.mixed = report.mixed;
  found.why = report.why;
  found.advice = advice_on(found, request, header.config);
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
