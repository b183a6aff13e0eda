// harmonium observe --exact
#include <harmonium/program/work/observe_exactly.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/inference/exact_averages.hpp>
#include <harmonium/framework/inference/local_means.hpp>
#include <harmonium/framework/inference/state_energies.hpp>
#include <harmonium/framework/model/domain.hpp>
#include <harmonium/framework/model/parameter_bytes.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/program/work/betas.hpp>
#include <harmonium/program/work/held_of_stack.hpp>
#include <harmonium/program/work/observation_files.hpp>
#include <harmonium/program/work/observed_clamp.hpp>
#include <harmonium/program/work/observed_figures.hpp>
#include <harmonium/program/work/observed_grid.hpp>
#include <harmonium/program/work/observed_local.hpp>
#include <harmonium/program/work/observed_log_z.hpp>
#include <harmonium/program/work/site_letters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

void check_no_chains(const ObserveRequest& request) {
  const std::pair<const char*, bool> of_chains[] = {
      {"--sampler", !request.sampler.empty()},    {"--steps", request.steps.has_value()},
      {"--warm-up", request.warm_up.has_value()}, {"--chains", request.chains.has_value()},
      {"--series", !request.series.empty()},      {"--set", !request.set.empty()}};
  for (const auto& [option, given] : of_chains)
    if (given)
      throw ConfigError(fmt::format(
          "--exact: it sums over states and runs no chains, which {} is for. Leave one of them out.", option));
}

/// The first layer whose units keep a sum over all states from being had.
const Layer& uncounted(const Layout& layout) {
  const auto hinders = [](const Layer& l) { return l.unit->num_states() == 0 && !is_normal(*l.unit); };
  const auto other = std::ranges::find_if(layout.layers(), hinders);
  if (other != layout.layers().end()) return *other;
  return *std::ranges::find_if(layout.layers(), [](const Layer& l) { return l.unit->num_states() == 0; });
}

/// Whether states of all units can be drawn from their law, as those of the units on one side of a machine can where the other is small.
bool draws_exactly(const EnergyModel& model, const Registries& registries) {
  Value effective;
  try {
    registries.make<Sampler>(make_table({{"type", make_value("exact")}}), effective)->check({model});
    return true;
  } catch (const CapabilityError&) {
    return false;
  }
}

/// "layer 'a'", "layers 'a' and 'b'".
std::string named_layers(const Layout& layout, LayerSet set) {
  const std::vector<LayerId> ids = layout.ids(set);
  std::string names = ids.size() == 1 ? "layer" : "layers";
  for (Index i = 0; i < ids.size(); ++i)
    names += fmt::format("{} '{}'", i == 0 ? "" : i + 1 == ids.size() ? " and" : ",", layout[ids[i]].name);
  return names;
}

/// Whether units that have states are summed out given those of the layers of `summed_over`.
bool sums_out(const Layout& layout, LayerSet summed_over) {
  return std::ranges::any_of(layout.ids(layout.all() - summed_over),
                             [&](LayerId l) { return layout[l].unit->num_states() > 0; });
}

/// Another --layer for whose averages there are few states, in words.
std::string other_layer(const EnergyModel& model) {
  const Layout& layout = model.layout();
  for (const LayerId l : layout.ids())
    if (layout[l].unit->num_states() > 0 && StateSum::log2_states(model, l) <= StateSum::most_bits)
      return fmt::format("; of --layer {} there are 2^{:.4g}", layout[l].name, StateSum::log2_states(model, l));
  return "";
}

void check_states(const EnergyModel& model, LayerId layer, const Registries& registries) {
  const Layout& layout = model.layout();
  const double bits = StateSum::log2_states(model, layer);
  if (std::isinf(bits))
    throw ConfigError(
        fmt::format("--exact: it is a sum over all states, and those of the units of layer '{}' cannot be counted. "
                    "Leave it out, and chains are run.",
                    uncounted(layout).name));
  if (bits <= StateSum::most_bits) return;
  const LayerSet over = StateSum::summed_over(model, layer);
  throw ConfigError(fmt::format(
      "--exact: the model has 2^{:.4g} states of {}, and 2^{:g} are the most that are summed over{}. Leave it "
      "out, and chains are run{}; 'harmonium evaluate', with --betas, has <E> and the heat capacity exactly where "
      "units can be summed out one by one ('--log-z variable_elimination' says whether), as of a narrow lattice.",
      bits, sums_out(layout, over) ? named_layers(layout, over) : "all units", StateSum::most_bits, other_layer(model),
      draws_exactly(model, registries) ? ", of which --sampler exact makes independent draws of the law itself" : ""));
}

/// "sum over all 64 states of layer 'v' that agree with what is held, other units summed out".
std::string method_of(const EnergyModel& model, const StateSum& sum, bool held) {
  if (StateEnergies::log2_states(model) == 0.0)
    return fmt::format("integral over Gaussian units{}", held ? " that are not held" : "");
  const bool part = sums_out(model.layout(), sum.summed_over());
  return fmt::format("sum over all {} states{}{}{}{}", sum.num_states(),
                     part ? " of " + named_layers(model.layout(), sum.summed_over()) : "",
                     held ? " that agree with what is held" : "", part ? ", other units summed out" : "",
                     sum.integrates() ? ", Gaussian units integrated over" : "");
}

void check_memory_of_sum(const EnergyModel& model, const LayerObservables& what, const LocalObservables* local,
                         Index temperatures) {
  MemoryNeed need;
  need.add("the parameters", parameter_bytes(model), "");
  need.add("the states", StateSum::bytes(model, what), "");
  if (local) {
    LayerSet own;
    own.add(what.layer());
    const bool normal = model.layout()[what.layer()].unit->num_states() == 0;
    need.add("the sums of units and pairs",
             bytes_of_local_means(*local, normal ? 1.0 : std::exp2(model.layout().log2_states(own))), "");
    add_told(*local, temperatures, need);
  }
  need.check("observe --exact");
}

/// There is no series that would have a time, and no chains that could differ.
void leave_out_series(ObservedNumber& n) { n.batch_time = n.r_hat = std::numeric_limits<double>::quiet_NaN(); }

/// What the absolute values of the terms that cancel in an average come to, of moments by ⟨|f|⟩ ≤ √⟨f²⟩; 0 where none cancel.
double cancelling_terms(const std::string& name, const std::vector<ObservedNumber>& all, double lowest_energy) {
  const auto value = [&](const char* other) {
    const auto found = std::ranges::find(all, other, &ObservedNumber::name);
    return found == all.end() ? 0.0 : found->value;
  };
  const double energy = std::abs(lowest_energy) + std::abs(value("energy") - lowest_energy);
  if (name == "energy") return energy;
  if (name == "energy_per_unit") return value("energy") == 0.0 ? 0.0 : energy * value(name.c_str()) / value("energy");
  if (name == "magnetization") return value("abs_magnetization");
  if (name == "staggered_magnetization") return value("staggered_abs_magnetization");
  if (name == "mean") return std::sqrt(value("mean_square"));
  if (name == "overlap") return value("abs_overlap");
  return name.ends_with("binder_cumulant") || name == "overlap_binder" ? 1.0 : 0.0;
}

/// The same of products of two units: of numbers their mean square, of spins and sites 1.
double terms_of_products(const LayerObservables& what, const std::vector<ObservedNumber>& all) {
  if (what.kind() != LayerObservables::Kind::numbers) return 1.0;
  const auto found = std::ranges::find(all, "mean_square", &ObservedNumber::name);
  return found == all.end() ? 0.0 : found->value;
}

ObservedTemperature exact_figures(const ExactAverages& exact, const LayerObservables& what, double lowest_energy) {
  ObservedTemperature t = figures_of(exact.thermal, what);
  const double products = terms_of_products(what, t.numbers);
  for (ObservedNumber& n : t.numbers) {
    leave_out_series(n);
    n.terms = n.name == "pair_correlation" ? products : cancelling_terms(n.name, t.numbers, lowest_energy);
  }
  for (ObservedCorrelation& c : t.correlations) {
    leave_out_series(c.number);
    c.number.terms = products;
  }
  for (const MagnetizationShare& m : exact.magnetizations) t.magnetizations.push_back({m.m, m.share});
  return t;
}

}  // namespace

Observation observe_exactly(const ObserveRequest& request, const Registries& builtin) {
  check_no_chains(request);
  const std::vector<double> betas = read_betas(request.listed);
  const ModelHeader header = read_model_header(request.model);
  const Registries registries = with_plugins(builtin, request, header);
  const std::unique_ptr<EnergyModel> model = load_model(request.model, header, registries);
  if (!request.clamp.empty()) refuse_held_of_stack(*model, request.model);
  const Layout& layout = model->layout();
  const LayerId layer = observed_layer(request.layer, layout);
  const std::optional<SiteGrid> grid = observed_grid(request.correlations, *model, layer);
  const LayerObservables what(*model, layer, grid ? &*grid : nullptr);
  check_states(*model, layer, registries);
  check_laws_at_zero(betas, layout);
  const std::optional<HeldState> held = observed_clamp(request, header, layout);
  const std::optional<LocalObservables> local = observed_local(request, what, layout[layer].name, betas.size());
  check_memory_of_sum(*model, what, local ? &*local : nullptr, betas.size());
  if (!request.output.empty()) check_folder_of_observation(request.output);

  const Executor executor(request.threads, request.stop);
  const StateSum sum(*model, what, executor, held ? &*held : nullptr);
  Observation found;
  std::vector<double> log_z;
  for (Index k = betas.size(); k > 0; --k) {  // the hottest first
    const ExactAverages exact = sum.at(betas[k - 1], executor, local ? &*local : nullptr);
    ObservedTemperature& t = found.temperatures.emplace_back(exact_figures(exact, what, sum.lowest_energy()));
    log_z.push_back(exact.log_z_but_constant);
    if (local) t.local = figures_of(*exact.local, *local);
    if (request.display)
      request.display->progress(static_cast<double>(found.temperatures.size()) / static_cast<double>(betas.size()),
                                "summing over all states");
  }
  if (request.display) request.display->finish();
  tell_exact_log_z(log_z, found);
  found.clamp = request.clamp;
  tell_of_layer(*model, what, found);
  tell_of_local(request.local, grid, found);
  found.letters = letters_of_layer(header, layout[layer]);
  found.num_states = sum.num_states();
  found.shown = request.listed.shown();
  found.integrated = sum.integrates();
  found.method = method_of(*model, sum, held.has_value());
  if (!request.output.empty()) found.files = write_observation(found, request.output, request.display);
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
