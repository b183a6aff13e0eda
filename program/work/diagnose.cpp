#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/aging.hpp>
#include <harmonium/framework/inference/fitted_beta.hpp>
#include <harmonium/framework/inference/leading_modes.hpp>
#include <harmonium/framework/inference/mixing.hpp>
#include <harmonium/framework/inference/moment_agreement.hpp>
#include <harmonium/framework/inference/pseudo_likelihood.hpp>
#include <harmonium/framework/inference/standstill.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/adapted_sampler.hpp>
#include <harmonium/program/work/betas.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/data_argument.hpp>
#include <harmonium/program/work/data_remarks.hpp>
#include <harmonium/program/work/data_spec.hpp>
#include <harmonium/program/work/failing_signs.hpp>
#include <harmonium/program/work/law_of_draws.hpp>
#include <harmonium/program/work/own_data.hpp>
#include <harmonium/program/work/own_run.hpp>
#include <harmonium/program/work/usual_sampler.hpp>
#include <harmonium/program/work/verdict.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The training rows of the run itself; none, which is told, where no chain can start at them.
std::optional<Dataset> rows_of_run(const DiagnoseRequest& request, const ModelHeader& header, const Layout& layout,
                                   const Registries& registries) {
  Dataset train = own_data(request.model, header.config, layout, registries,
                           "To start from other rows add --data FILE; name model.h5 itself to go without any.")
                      .train;
  const bool whole = !train.has_missing();
  if (whole && has_probability(train, layout)) return train;
  if (request.display)
    request.display->warn(fmt::format("no chain starts at a row of the run's data: {}. --data FILE takes others.",
                                      whole ? "they hold values between the units' states" : "entries are missing"));
  return {};
}

/// Of the data that was given, or of the run's, evenly spread: chains of one start begin at some of them, and draws are compared
/// with all.
std::optional<Chains> rows_to_start_from(const DiagnoseRequest& request, const ModelHeader& header,
                                         const Value& options, const Layout& layout, const Registries& registries,
                                         const RandomSource& random, std::optional<std::uint64_t>& own_rows) {
  const DataArgument given = data_argument(request.data, options, registries);
  const Value spec = data_spec(header, layout, given.file, given.options, request.display);
  if (!spec.is_table()) {
    const std::optional<Dataset> own =
        request.own_data ? rows_of_run(request, header, layout, registries) : std::nullopt;
    if (!own) return {};
    own_rows = own->rows();
    return spread_rows(*own, layout, most_rows_of_chains(layout), 0);
  }
  const Dataset data = load_rows(request.model, spec, layout, registries, random);
  tell_of_states(data, layout, request.display);
  tell_of_rows_at_random(spec, data, request.display);
  if (!has_probability(data, layout))
    throw ConfigError(
        "the data holds values between the units' states, and no chain can start there. Set data.binarize to make "
        "states of them.");
  return spread_rows(data, layout, most_rows_of_chains(layout), 0);
}

void check_memory(const DiagnoseRequest& request, const EnergyModel& model, const Sampler& sampler) {
  const double chains = 4.0 * static_cast<double>(request.chains);
  MemoryNeed need;
  need.add("the parameters", static_cast<double>(model.parameter_layout().size()) * sizeof(Real), "");
  if (!request.data.empty() || request.own_data || !request.set.empty())  // fresh ones beside them, where there is data
    need.add("the fresh chains",
             static_cast<double>(AgingPlan::num_chains * sampler.rungs()) *
                 static_cast<double>(model.layout().columns(model.layout().all())) * sizeof(Real),
             "--sampler");
  need.add("the chains",
           chains * static_cast<double>(sampler.rungs()) *
               static_cast<double>(model.layout().columns(model.layout().all())) * sizeof(Real),
           "--chains");
  need.add("what is kept of them", chains * static_cast<double>(request.steps) * 8.0 * sizeof(double), "--steps");
  sampler.memory(model, need);
  need.check("the diagnosis");
}

/// What the draws say beside how they mix.
void compare_draws(const EnergyModel& model, const MixingReport& report, const Chains* data, const Execution& execution,
                   Diagnosis& found) {
  const Execution units = execution.part("units");
  const Chains& draws = report.rows;
  if (draws.size() == 0) return;
  found.fits_beta = offers_pseudo_likelihood(model);
  found.beta_of_draws = fitted_beta(model, draws, units);
  if (!data || data->size() < 4) return;
  found.beta_of_data = fitted_beta(model, *data, units);
  ModeOccupancy cells = mode_occupancy(report.modes, model.layout(), draws, *data);
  found.modes_of_data = std::move(cells.of_data);
  found.modes_of_draws = std::move(cells.of_draws);
  const MomentAgreement a = compare_moments(model.layout(), draws, *data);
  found.means = {a.means.pearson, a.means.slope, a.means_of_halves.pearson};
  found.correlations = {a.correlations.pearson, a.correlations.slope, a.correlations_of_halves.pearson};
}

/// Chains from uniform draws as they go; the signature of a machine that was trained by chains far from its law.
void watch_age(const EnergyModel& model, Sampler& sampler, const Chains& data, const DiagnoseRequest& request,
               const Value& config, const Execution& execution, Diagnosis& found) {
  AgingPlan plan{.num_steps = request.steps, .beta = request.beta};
  // A verdict is on chains like those of the run, against data like its own.
  if (request.beta == 1.0 && request.sampler == "gibbs" && weights_setting(config).empty())
    plan.trained_steps = steps_of_fresh_chains(config);
  const AgingReport report = examine_aging(model, sampler, data, plan, execution);
  for (const AgingPoint& p : report.points) found.ages.push_back({p.step, p.energy, p.error, p.distance});
  found.out_of_equilibrium = report.out_of_equilibrium;
  if (!report.out_of_equilibrium) return;
  found.trained_steps = *plan.trained_steps;
  found.told_from = report.told_from;
  if (!*report.out_of_equilibrium) return;
  found.advice.push_back(fmt::format(
      "Trained out of equilibrium: chains from uniform draws are closer to the data after the {} steps that the run "
      "took ({:.3g} from it) than after {} ({:.3g}). It has learned to be drawn from so; its law is another one.",
      *plan.trained_steps, report.at_k, request.steps, report.at_end));
}

}  // namespace

Diagnosis diagnose(const DiagnoseRequest& given, const Registries& builtin) {
  DiagnoseRequest request = given;
  const ModelHeader header = read_model_header(request.model);
  const Registries registries = with_plugins(builtin, request, header);
  const Value options = command_options(request.set, {"data", "sampler"});
  const std::unique_ptr<EnergyModel> model = load_model(request.model, header, registries);
  check_laws_at_zero({request.beta}, model->layout(), "--beta", "Take a beta above 0.");
  request.sampler = sampler_name(request.sampler, *model);
  const std::string length = fmt::format("--steps {}, of which the second half is used", request.steps);
  Value effective;
  const std::unique_ptr<Sampler> sampler = sampler_adapting_before(
      MixingPlan{.num_steps = request.steps}.unused() + 1, length,
      with_own_run(component_spec(options, "sampler", request.sampler), Sampler::kind, request.model, registries),
      registries, effective, request.display);
  const RandomSource random = random_of(request, header.config);
  const MixingPlan plan{.chains_per_start = request.chains,
                        .num_steps = request.steps,
                        .beta = request.beta,
                        .num_rows = most_rows_of_chains(model->layout())};
  check_adapted(*sampler, request.sampler, plan.unused() + 1, length,
                [](std::uint64_t least) { return fmt::format("--steps {}", MixingPlan::steps_of_unused(least - 1)); });
  check_memory(request, *model, *sampler);
  std::optional<std::uint64_t> own_rows;
  const std::optional<Chains> rows =
      rows_to_start_from(request, header, options, model->layout(), registries, random.child("data"), own_rows);
  const Executor executor(request.threads, request.stop);
  const Chains* const data = rows ? &*rows : nullptr;
  const Execution execution{executor, random.child("diagnose"), request.display};
  const MixingReport report = examine_mixing(*model, *sampler, data, plan, execution);
  // At another temperature nothing is said of the run's chains.
  Diagnosis found = diagnosis_of(report, request.sampler, effective, known_of(*model, request.beta, registries),
                                 request.beta == 1.0 ? header.config : make_table({}),
                                 law_of_draws(*model, report, request.beta, executor));
  found.remark = words_on_signs(*model, report, found);
  found.own_rows = own_rows;
  compare_draws(*model, report, data, execution, found);
  if (data && data->size() >= 4) {
    const std::unique_ptr<Sampler> fresh = registries.make<Sampler>(
        with_own_run(component_spec(options, "sampler", request.sampler), Sampler::kind, request.model, registries),
        effective);
    watch_age(*model, *fresh, *data, request, header.config, execution.part("age"), found);
  }
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
