#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/inference/classification.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/data_units.hpp>
#include <harmonium/program/work/row_figures.hpp>

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

/// What is said of figures that are absent.
struct Absent {
  std::string log_z, free_energy;  ///< why they are
  bool labels = false;             ///< whether the model classifies
  bool probability = true;         ///< whether the data's values are states of their units
  bool whole = true;               ///< whether no entry of the data is missing
};

/// Why each figure that is absent is, and what would give it.
void give_reasons(Evaluation& result, const Absent& absent) {
  const auto reason = [&](const std::optional<double>& figure, const char* name, const std::string& why) {
    if (!figure) result.reasons.emplace_back(name, why);
  };
  const std::string no_data = "no data was given. Add --data FILE.";
  const std::string gray = "the data holds values between the units' states. Set data.binarize to make states of them.";
  const bool data = result.num_samples.has_value();
  if (!data) result.reasons.emplace_back("num_samples", no_data);
  const std::string holes = "entries of the data are missing.";
  reason(result.log_z, "log_z", absent.log_z);
  reason(result.log_likelihood, "log_likelihood",
         !data                 ? no_data
         : !absent.probability ? gray
         : !result.free_energy ? "it takes the free energy, which is absent too."
                               : "it takes log_z, which is absent too.");
  reason(result.free_energy, "free_energy", data ? absent.free_energy : no_data);
  reason(result.pseudo_log_likelihood, "pseudo_log_likelihood",
         !data                 ? no_data
         : !absent.whole       ? holes
         : !absent.probability ? gray
                               : "it takes discrete observed units and a free energy in closed form.");
  reason(result.reconstruction_error, "reconstruction_error",
         !data           ? no_data
         : !absent.whole ? holes
                         : "it takes latent units that are independent given the observed ones, and the reverse.");
  const std::string no_label = !absent.labels
                                   ? "the model has no observed layer 'label' of one unit, or no free energy."
                               : !data ? no_data
                                       : holes;
  reason(result.accuracy, "accuracy", no_label);
  reason(result.label_log_likelihood, "label_log_likelihood", no_label);
}

/// What an estimate that its ways do not agree on says all the same.
std::string disagreement(const LogPartitionEstimate& found, double sign) {
  const double low = sign > 0 ? found.low : -found.high, high = sign > 0 ? found.high : -found.low;
  const auto all = [&] {
    if (std::isfinite(low) && std::isfinite(high))
      return fmt::format("By all that was measured the figure lies between {:.3f} and {:.3f}.", low, high);
    if (std::isfinite(low)) return fmt::format("The figure is hardly less than {:.3f}.", low);
    if (std::isfinite(high)) return fmt::format("The figure is hardly more than {:.3f}.", high);
    return std::string("Nothing is known of it.");
  };
  return found.why + ". " + all();
}

/// What the estimate says of log Z; the figure itself only where its ways agree.
void take(const LogPartitionEstimate& found, Evaluation& result, Absent& absent) {
  result.log_z_interval = {found.low, found.high};
  result.agree = found.agree;
  result.why = found.why;
  result.log_z_method = found.method;
  result.ground_state_energy = found.ground_state_energy;
  if (found.agree) result.log_z = found.log_z;
  else absent.log_z = disagreement(found, 1.0);
}

/// The same of the sums over what was not seen of rows.
void take_rows(const LogPartitionEstimate& found, Evaluation& result, Absent& absent) {
  result.free_energy_interval = {-found.high, -found.low};
  if (found.agree) result.free_energy = -found.log_z;
  else {
    absent.free_energy = disagreement(found, -1.0);
    result.why += (result.why.empty() ? "" : "; ") + found.why;
  }
  if (result.agree) result.agree = *result.agree && found.agree;
}

void compose_likelihood(Evaluation& result) {
  if (result.free_energy && result.log_z) result.log_likelihood = -*result.free_energy - *result.log_z;
  if (result.free_energy_interval && result.log_z_interval)
    result.log_likelihood_interval = {-result.free_energy_interval->high - result.log_z_interval->high,
                                      -result.free_energy_interval->low - result.log_z_interval->low};
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
  if (spec.is_table()) data = load_rows_with_holes(request.model, spec, layout, registries, random.child("data"));

  Evaluation result;
  const DataUnits units(spec.is_table() ? &spec : header.config.find("data"), transform, layout);
  if (const std::string name = units.name(); !name.empty()) {
    result.units = name;
    result.log_jacobian = units.log_jacobian();
  }
  Absent absent;
  const LogZWay way(request, options, *model, registries);
  if (const auto found = way.estimate(*model, request.beta, execution.part("log_z"), absent.log_z))
    take(*found, result, absent);
  check_finite(result, request.beta);
  absent.labels = offers_classification(*model, label_layer);
  if (!data) {
    give_reasons(result, absent);
    return result;
  }
  result.num_samples = data->rows();
  absent.probability = has_probability(*data, layout);
  if (!absent.probability && request.display)
    request.display->warn(
        "the data holds values between the units' states: they have no likelihood. Set data.binarize to have one.");
  const RowFigures rows = judge_rows(request, *model, *data, absent.probability, way, registries, execution, result);
  absent.whole = rows.seen.empty();
  absent.free_energy = rows.no_log_sums;
  if (rows.log_sums) take_rows(*rows.log_sums, result, absent);
  if (rows.variational_bound && result.log_z) result.variational_bound = *rows.variational_bound - *result.log_z;
  if (absent.probability) compose_likelihood(result);
  if (!absent.whole && result.units != "data") result.log_jacobian = units.log_jacobian(rows.seen);
  check_finite(result, request.beta);
  give_reasons(result, absent);
  if (request.display) request.display->finish();
  return result;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
