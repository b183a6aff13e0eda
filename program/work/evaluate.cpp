#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/inference/classification.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/data_units.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// A β so large, or a model so extreme, that numbers overflow: no figure of it could be trusted, so none is given.
void check_finite(const Evaluation& result, double beta) {
  const std::pair<const char*, const std::optional<double>&> figures[] = {
      {"log_z", result.log_z},
      {"free_energy", result.free_energy},
      {"pseudo_log_likelihood", result.pseudo_log_likelihood},
      {"reconstruction_error", result.reconstruction_error},
      {"log_likelihood", result.log_likelihood},
      {"label_log_likelihood", result.label_log_likelihood}};
  for (const auto& figure : figures) {
    if (!figure.second || std::isfinite(*figure.second)) continue;
    throw ConfigError(
        fmt::format("--beta {:g}: {} is {} (energies times beta leave the range of numbers). Take a beta nearer to 1.",
                    beta, figure.first, *figure.second));
  }
}

/// Why each figure that is absent is, and what would give it. `no_log_z`: why log Z is.
void give_reasons(Evaluation& result, const std::string& no_log_z, bool labels, bool probability) {
  const auto reason = [&](const std::optional<double>& figure, const char* name, const std::string& why) {
    if (!figure) result.reasons.emplace_back(name, why);
  };
  const std::string no_data = "no data was given. Add --data FILE.";
  const std::string gray = "the data holds values between the units' states. Set data.binarize to make states of them.";
  const bool data = result.num_samples.has_value();
  if (!data) result.reasons.emplace_back("num_samples", no_data);
  reason(result.log_z, "log_z", no_log_z);
  reason(result.log_likelihood, "log_likelihood",
         !data                 ? no_data
         : !probability        ? gray
         : !result.free_energy ? "it takes the free energy, which is absent too."
                               : "it takes log_z, which is absent too.");
  reason(result.free_energy, "free_energy",
         data ? "the model's latent units are coupled given the observed ones, and more than 16 bits of them to "
                "enumerate. Take fewer."
              : no_data);
  reason(result.pseudo_log_likelihood, "pseudo_log_likelihood",
         !data          ? no_data
         : !probability ? gray
                        : "it takes discrete observed units and a free energy in closed form.");
  reason(result.reconstruction_error, "reconstruction_error",
         data ? "it takes latent units that are independent given the observed ones, and the reverse." : no_data);
  const std::string no_label =
      labels ? no_data : "the model has no observed layer 'label' of one unit, or no free energy.";
  reason(result.accuracy, "accuracy", no_label);
  reason(result.label_log_likelihood, "label_log_likelihood", no_label);
}

bool names_a_way(const EvaluateRequest& request) { return !request.log_z.empty() && request.log_z != "auto"; }
bool asks_for_a_way(const EvaluateRequest& request, const Value& options) {
  return names_a_way(request) || options.find("log_z");
}

bool serves(const LogPartition& way, const EnergyModel& model) {
  try {
    way.check(model);
    return true;
  } catch (const CapabilityError&) {
    return false;
  }
}

/// How log Z is to be found: as asked for; else exactly, in the way that serves the model. Annealing takes minutes on a large
/// model and is asked for by name.
std::unique_ptr<LogPartition> log_partition_of(const EvaluateRequest& request, const Value& options,
                                               const EnergyModel& model, const Registries& registries) {
  const auto made = [&](const std::string& name) {
    Value spec = component_spec(options, "log_z", name), effective;
    if (request.effort && spec.find("type") && *spec.find("type") != make_value("ais"))
      throw ConfigError("--effort is for annealing, and log Z is asked for otherwise. Add --log-z ais.");
    if (request.effort) spec.set("effort", make_value(*request.effort));
    return registries.make<LogPartition>(spec, effective);
  };
  if (asks_for_a_way(request, options)) return made(names_a_way(request) ? request.log_z : "exact");
  auto enumeration = made("exact"), elimination = made("variable_elimination");
  return !serves(*enumeration, model) && serves(*elimination, model) ? std::move(elimination) : std::move(enumeration);
}

/// `why_not` says why there is none.
std::optional<LogPartitionEstimate> log_z(const EvaluateRequest& request, const Value& options,
                                          const EnergyModel& model, const Registries& registries,
                                          const Execution& execution, std::string& why_not) {
  const auto log_partition = log_partition_of(request, options, model, registries);
  try {
    log_partition->check(model);
  } catch (const CapabilityError& error) {
    if (asks_for_a_way(request, options)) throw;
    why_not = error.what() + std::string(" Or ask for an estimate with an interval: --log-z ais.");
    return {};
  }
  MemoryNeed need;
  need.add("the parameters", static_cast<double>(model.parameter_layout().size()) * sizeof(Real), "");
  log_partition->memory(model, need);
  need.check("log Z");
  return log_partition->estimate(model, request.beta, execution);
}

/// What the estimate says of log Z; the figure itself only where its ways agree.
void take(const LogPartitionEstimate& found, Evaluation& result, std::string& why_not) {
  result.log_z_interval = {found.low, found.high};
  result.agree = found.agree;
  result.why = found.why;
  result.log_z_method = found.method;
  result.ground_state_energy = found.ground_state_energy;
  if (found.agree) result.log_z = found.log_z;
  else
    why_not = found.why + ". " +
              (!std::isfinite(found.high) ? fmt::format("It is hardly less than {:.3f}.", found.low)
               : !std::isfinite(found.low)
                   ? fmt::format("It is hardly more than {:.3f}.", found.high)
                   : fmt::format("By all that was measured it lies between {:.3f} and {:.3f}.", found.low, found.high));
}

/// The means over the rows of what the model offers; without `probability` the rows have no likelihood.
void judge_rows(const EvaluateRequest& request, const EnergyModel& model, const Dataset& data, bool probability,
                const Execution& execution, Evaluation& result) {
  const Layout& layout = model.layout();
  const bool labels = offers_classification(model, label_layer);
  const bool free_energy = offers_free_energy(model);
  const bool pseudo = probability && offers_pseudo_likelihood(model);
  const bool reconstruction = offers_reconstruction(model);

  // Rows in pieces: what is in memory does not grow with the data.
  constexpr Index piece = 2000;
  double free_energies = 0.0, pseudo_likelihoods = 0.0, errors = 0.0;
  Classification classes;
  for (Index first = 0; first < data.rows(); first += piece) {
    const Index count = std::min(piece, data.rows() - first);
    const auto weight = static_cast<double>(count);
    const Chains rows = rows_of(data, layout, first, count, 0);
    if (free_energy) free_energies += weight * mean_free_energy(model, rows, request.beta, execution.executor);
    if (pseudo) pseudo_likelihoods += weight * pseudo_log_likelihood(model, rows, request.beta, 0, execution);
    if (reconstruction) errors += weight * reconstruction_error(model, rows, request.beta, execution.executor);
    if (labels) {
      const Classification part = classify(model, label_layer, rows, request.beta, execution.executor);
      classes.accuracy += weight * part.accuracy;
      classes.log_likelihood += weight * part.log_likelihood;
    }
    execution.executor.check_stop();
    if (request.display)
      request.display->progress(static_cast<double>(first + count) / static_cast<double>(data.rows()), "evaluating");
  }
  const auto n = static_cast<double>(data.rows());
  if (free_energy) result.free_energy = free_energies / n;
  if (pseudo) result.pseudo_log_likelihood = pseudo_likelihoods / n;
  if (reconstruction) result.reconstruction_error = errors / n;
  if (labels) {
    result.accuracy = classes.accuracy / n;
    result.label_log_likelihood = classes.log_likelihood / n;
  }
}

}  // namespace

Evaluation evaluate(const EvaluateRequest& request, const Registries& builtin) {
  const ModelHeader header = read_model_header(request.model);
  const Registries registries = with_plugins(builtin, request, header);
  const Value options = command_options(request.set, {"data", "log_z"});
  const std::unique_ptr<EnergyModel> model = load_model(request.model, header, registries);
  const Layout& layout = model->layout();
  const Executor executor(request.threads, request.stop);
  const RandomSource random = random_of(request, header.config);
  const Execution execution{executor, random.child("evaluate"), request.display};

  std::shared_ptr<const Transform> transform = load_transform(request.model);
  if (transform) transform = of_observed(transform, layout, request.model);
  std::optional<Dataset> data;
  const Value spec = data_spec(header.config, request.data, options);
  if (spec.is_table()) data = load_rows(request.model, spec, layout, registries, random.child("data"));

  Evaluation result;
  const DataUnits units(spec.is_table() ? &spec : header.config.find("data"), transform, layout);
  if (const std::string name = units.name(); !name.empty()) {
    result.units = name;
    result.log_jacobian = units.log_jacobian();
  }
  std::string no_log_z;
  if (const auto found = log_z(request, options, *model, registries, execution.part("log_z"), no_log_z))
    take(*found, result, no_log_z);
  check_finite(result, request.beta);
  const bool labels = offers_classification(*model, label_layer);
  if (!data) {
    give_reasons(result, no_log_z, labels, true);
    return result;
  }
  result.num_samples = data->rows();
  const bool probability = has_probability(*data, layout);
  if (!probability && request.display)
    request.display->warn(
        "the data holds values between the units' states: they have no likelihood. Set data.binarize to have one.");
  judge_rows(request, *model, *data, probability, execution, result);
  if (result.free_energy && probability) {
    if (result.log_z) result.log_likelihood = -*result.free_energy - *result.log_z;
    if (const auto& z = result.log_z_interval)
      result.log_likelihood_interval = {-*result.free_energy - z->high, -*result.free_energy - z->low};
  }
  check_finite(result, request.beta);
  give_reasons(result, no_log_z, labels, probability);
  if (request.display) request.display->finish();
  return result;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
