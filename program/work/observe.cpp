// harmonium observe
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/local_averages.hpp>
#include <harmonium/framework/inference/slowest_time.hpp>
#include <harmonium/framework/inference/standstill.hpp>
#include <harmonium/framework/inference/thermal_averages.hpp>
#include <harmonium/framework/model/parameter_bytes.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/program/work/betas.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/held_of_stack.hpp>
#include <harmonium/program/work/ladder_warnings.hpp>
#include <harmonium/program/work/ladder_without_gaps.hpp>
#include <harmonium/program/work/observation_files.hpp>
#include <harmonium/program/work/observe_exactly.hpp>
#include <harmonium/program/work/observed_clamp.hpp>
#include <harmonium/program/work/observed_figures.hpp>
#include <harmonium/program/work/observed_grid.hpp>
#include <harmonium/program/work/observed_local.hpp>
#include <harmonium/program/work/observed_log_z.hpp>
#include <harmonium/program/work/observed_series.hpp>
#include <harmonium/program/work/own_run.hpp>
#include <harmonium/program/work/site_letters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// What moves the rows: by tempering the sampler of a row at its temperature, else that of a temperature by itself.
Value sampler_spec_of(const ObserveRequest& request, const Value& options) {
  if (!request.sampler.empty()) return component_spec(options, "sampler", request.sampler);
  const Value* own = options.find("sampler");
  const Value* type = own ? own->find("type") : nullptr;
  const auto* name = type ? std::get_if<std::string>(&type->data) : nullptr;
  return component_spec(options, "sampler", name ? *name : "gibbs");
}

void check_mover(const Sampler& sampler, const std::string& name, bool tempered, std::uint64_t warm_up) {
  if (tempered && sampler.rungs() > 1)
    throw ConfigError(fmt::format(
        "--set sampler.type={0}: it exchanges rows of a ladder of its own, and several --betas are a ladder already, "
        "whose rows a sampler without one moves. Leave it out, or say --sampler {0}: each of --betas is then sampled "
        "by "
        "itself, with a ladder that begins there.",
        name));
  // A ladder of --betas measures before the transition that follows, which still adapts; a lone sampler after it.
  const std::uint64_t after = tempered ? 0 : 1;
  check_adapted(
      sampler, name, warm_up + after, fmt::format("--warm-up {}", warm_up),
      [&](std::uint64_t least) { return fmt::format("--warm-up {}", least - after); },
      "what is measured before follows");
}

void check_memory_of(const ThermalPlan& plan, const EnergyModel& model, const LayerObservables& what,
                     const Sampler& sampler, bool tempered, double of_series) {
  const auto temperatures = static_cast<double>(plan.betas.size()), chains = static_cast<double>(plan.num_chains);
  const double rungs = tempered ? temperatures : static_cast<double>(sampler.rungs()) + 1.0;
  MemoryNeed need;
  need.add("the parameters", parameter_bytes(model), "");
  need.add("the pairs that couple", static_cast<double>(what.num_pairs()) * 8.0, "");
  need.add("the chains",
           chains * rungs * static_cast<double>(model.layout().columns(model.layout().all())) * sizeof(Real),
           "--chains");
  const double overlaps = what.kind() == LayerObservables::Kind::sites ? 2.0 : 1.0;
  const double kept = static_cast<double>(what.names().size()) + 1.0 + overlaps;  // numbers of a chain and step
  constexpr double of_analysis = 12.0;  // functions of them, of one temperature a thread
  if (plan.held)
    need.add("which units are held", chains * rungs * static_cast<double>(num_all_units(model.layout())), "--chains");
  need.add("what is measured",
           (temperatures * kept + of_analysis) * chains * static_cast<double>(plan.num_steps) * sizeof(double),
           "--steps");
  if (of_series > 0.0) need.add("the table of the series", of_series, "--steps");
  if (plan.local) {
    need.add("the sums of units and pairs",
             temperatures * LocalSums::bytes(*plan.local, plan.num_chains, plan.num_steps), lowered_by(*plan.local));
    add_told(*plan.local, plan.betas.size(), need);
  }
  sampler.memory(model, need);
  need.check("observe");
}

/// The averages of each temperature, the hottest first.
std::vector<ObservedTemperature> averages_of_all(const ThermalRecord& record, const ThermalPlan& plan,
                                                 const EnergyModel& model, const LayerObservables& what,
                                                 const Executor& executor) {
  const Index count = record.temperatures.size(), all_units = num_all_units(model.layout());
  const FlipSymmetry symmetry = plan.held ? FlipSymmetry::none : flip_symmetry_of(model);  // held units do not flip
  std::vector<ThermalAverages> averages(count);
  executor.for_each_piece(count, 1, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      averages[k] = averages_of(record.temperatures[k], what, all_units, symmetry);
      doubt_by_slowest(record.temperatures[k], record.ladder ? &*record.ladder : nullptr, averages[k]);
      doubt_short(record.temperatures[k], averages[k]);
    }
  });
  std::vector<ObservedTemperature> found(count);
  for (Index k = 0; k < count; ++k) {
    ObservedTemperature& t = found[count - 1 - k];
    t = figures_of(averages[k], what);
    if (record.ladder && k > 0) t.exchange_rate = record.ladder->rate(k - 1);
    const std::optional<SamplerReport>& moves = record.temperatures[k].moves;
    if (moves && moves->ladder) t.moves = moves->ladder->summary();
    else if (moves && moves->proposed > 0) t.moves = moves->summary();
    if (const std::optional<LocalSums>& local = record.temperatures[k].local)
      t.local = figures_of(local_averages_of(*local, averages[k], executor), local->what());
  }
  return found;
}

void warn_of_proposals(const ThermalRecord& record, const Value& effective, const std::string& sampler,
                       Display& display) {
  for (const ThermalSeries& t : record.temperatures)
    if (t.moves && t.moves->ill_chosen())
      display.warn(fmt::format("{} at beta = {:.4g}: {}, and below {} chains move much more slowly than they could. {}",
                               sampler, t.beta, t.moves->summary(), t.moves->min_acceptance,
                               proposal_remedy(effective, "sampler", t.moves->acceptance)));
}

/// Of the ladder of all temperatures, or of the first that has one of its own with gaps. Says whether there are any.
bool warn_of_ladders(const ThermalRecord& record, const std::vector<double>& betas, const ShownTemperature& shown,
                     Display& display) {
  if (record.ladder) {
    if (!has_gaps(*record.ladder)) return false;
    warn_of_gaps(*record.ladder, display, ladder_without_gaps(record, betas, shown));
    return true;
  }
  Index ladders = 0;
  for (const ThermalSeries& t : record.temperatures)
    if (t.moves && t.moves->ladder && has_gaps(*t.moves->ladder) && ladders++ == 0)
      warn_of_gaps(*t.moves->ladder, display, "Add rungs between (sampler.num_rungs, or numbers in sampler.betas).");
  if (ladders > 1)
    display.warn(
        fmt::format("the ladders of {} of the {} temperatures have such gaps.", ladders, record.temperatures.size()));
  return ladders > 0;
}

/// How it was measured; temperatures as they were given, which single precision rounds.
void tell_of_chains(const ObserveRequest& request, const ThermalPlan& plan, const std::string& sampler, bool tempered,
                    Observation& found) {
  for (ObservedTemperature& t : found.temperatures)
    for (const double beta : plan.betas)
      if (static_cast<double>(static_cast<Real>(beta)) == t.beta) t.beta = beta;
  found.clamp = request.clamp;
  found.shown = request.listed.shown();
  found.num_chains = plan.num_chains;
  found.num_steps = plan.num_steps;
  found.warm_up = plan.warm_up;
  found.least_times = least_times_of_chain(plan.num_chains);
  found.method = tempered ? "parallel tempering with " + sampler : "each temperature by itself with " + sampler;
  found.step = tempered ? fmt::format("an exchange of temperatures and a transition of {}", sampler)
                        : "a transition of " + sampler;
  found.sampler_named = !request.sampler.empty();
}

/// Without what the sampler decides.
ThermalPlan plan_of(const ObserveRequest& request) {
  ThermalPlan plan{.betas = read_betas(request.listed),
                   .num_chains = request.chains.value_or(8),
                   .num_steps = request.steps.value_or(10000)};
  if (plan.num_chains % 2 != 0)
    throw ConfigError(fmt::format("--chains {}: chains are compared in pairs. Give an even number.", plan.num_chains));
  return plan;
}

}  // namespace

Observation observe(const ObserveRequest& request, const Registries& builtin) {
  if (request.exact) return observe_exactly(request, builtin);
  ThermalPlan plan = plan_of(request);
  const ModelHeader header = read_model_header(request.model);
  const Registries registries = with_plugins(builtin, request, header);
  const Value options = command_options(request.set, {"sampler"});
  const Value spec = with_own_run(sampler_spec_of(request, options), Sampler::kind, request.model, registries);
  Value effective;
  const std::unique_ptr<Sampler> sampler = registries.make<Sampler>(spec, effective);
  plan.warm_up = request.warm_up.value_or(std::max<Index>(plan.num_steps / 5, sampler->adaptation_steps()));
  const std::unique_ptr<EnergyModel> model = load_model(request.model, header, registries);
  if (!request.clamp.empty()) refuse_held_of_stack(*model, request.model);
  const Layout& layout = model->layout();
  const LayerId layer = observed_layer(request.layer, layout);
  const std::optional<SiteGrid> grid = observed_grid(request.correlations, *model, layer);
  const LayerObservables what(*model, layer, grid ? &*grid : nullptr);
  const std::optional<HeldState> held = observed_clamp(request, header, layout);
  plan.held = held ? &*held : nullptr;
  const std::optional<LocalObservables> local = observed_local(request, what, layout[layer].name, plan.betas.size());
  plan.local = local ? &*local : nullptr;
  const bool tempered = request.sampler.empty() && plan.betas.size() > 1;
  const std::string name = std::get<std::string>(effective.find("type")->data);
  check_laws_at_zero(plan.betas, layout);
  check_mover(*sampler, name, tempered, plan.warm_up);
  check_memory_of(plan, *model, what, *sampler, tempered, request.series.empty() ? 0.0 : bytes_of_series(plan));
  if (!request.output.empty()) check_folder_of_observation(request.output);
  if (!request.series.empty()) check_series_output(request);

  const Executor executor(request.threads, request.stop);
  const Execution execution{executor, random_of(request, header.config).child("observe"), request.display};
  const auto make = [&] { return registries.make<Sampler>(spec, effective); };
  const ThermalRecord record = tempered ? record_tempered(*model, *sampler, what, plan, execution)
                                        : record_alone(*model, make, what, plan, execution);
  Observation found;
  found.temperatures = averages_of_all(record, plan, *model, what, executor);
  tell_log_z(record, executor, found);
  if (request.display) {
    request.display->finish();
    warn_of_proposals(record, effective, name, *request.display);
    found.gaps_told = warn_of_ladders(record, plan.betas, request.listed.shown(), *request.display);
  }
  tell_of_chains(request, plan, name, tempered, found);
  tell_of_layer(*model, what, found);
  tell_of_local(request.local, grid, found);
  found.letters = letters_of_layer(header, layout[layer]);
  if (record.ladder) {
    found.round_trips = record.ladder->round_trips;
    found.least_round_trips = least_round_trips * plan.num_chains;
  }
  if (!request.series.empty()) write_series(request, record, what, found);
  if (!request.output.empty()) found.files = write_observation(found, request.output, request.display);
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
