#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/diagnostics/number_with_error.hpp>
#include <harmonium/framework/files/output_folder.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/model/zero_sum_gauge.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/program/work/columns_by_name.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/export_arrays.hpp>
#include <harmonium/program/work/export_contacts.hpp>
#include <harmonium/program/work/export_folder.hpp>
#include <harmonium/program/work/export_matrix.hpp>
#include <harmonium/program/work/exported_transform.hpp>
#include <harmonium/program/work/gradient_left_words.hpp>
#include <harmonium/program/work/model_text.hpp>
#include <harmonium/program/work/own_data.hpp>
#include <harmonium/program/work/parameter_errors.hpp>
#include <harmonium/program/work/unseen_states.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Refuses options that are of another form of output.
void check_form(const ExportRequest& request) {
  if (request.contacts && std::filesystem::path(request.output).extension() != ".csv")
    throw ConfigError(
        fmt::format("--output {}: --contacts writes one table. Name a file that ends in .csv.", request.output));
  if (request.contacts && !request.gauge.empty())
    throw ConfigError("--gauge: scores of pairs are the same in every gauge. Leave it out of --contacts.");
  if (!request.gauge.empty() && request.gauge != "zero_sum")
    throw ConfigError(fmt::format("--gauge {}: there is no such gauge. Known: zero_sum.", request.gauge));
  if (request.errors && request.contacts)
    throw ConfigError("--errors: they are of parameters, and do not go with --contacts. Leave one of the two out.");
  if (request.contacts) return;
  if (const char* option = request.pairs.option())
    throw ConfigError(fmt::format("{} is for the table of pairs. Give --contacts too.", option));
}

/// In the zero-sum gauge, where that is asked for.
void set_gauge(EnergyModel& model, const ExportRequest& request) {
  if (request.gauge.empty()) return;
  const auto refuse = [&](const std::string& why) {
    throw CapabilityError(fmt::format("--gauge {}: {}", request.gauge, why));
  };
  if (stacked_machines(model))
    refuse("the machines of a stack send fields up and down, which its law does not leave free. Leave it out.");
  if (std::ranges::none_of(model.layout().layers(), [](const Layer& layer) { return has_gauge(*layer.unit); }))
    refuse(
        "no layer of the model is of categorical units, and the couplings of others are told by their law. Leave it "
        "out.");
  try {
    set_zero_sum_gauge(model);
  } catch (const CapabilityError& error) {
    refuse(error.what());
  }
}

/// Whether tables write each of its few numbers several times: a field that all units share, or the couplings of a lattice by offset.
bool is_shared(const ParameterBlock& block) {
  constexpr Index few = 8;
  return block.uniform || (block.edges && block.size() <= few && block.size() < block.edges->size());
}

/// "lattice.s = 0.3508(13), bias.s = 0.0509(13)": the numbers of such tensors; empty where there are none.
std::string words_of_shared(const EnergyModel& model, const std::vector<double>& errors) {
  std::string words;
  for (const ParameterBlock& block : model.parameter_layout().blocks()) {
    if (!is_shared(block)) continue;
    for_each_entry(block, [&](Index place) {
      const NumberWithError number{static_cast<double>(model.parameters()[place]), errors[place]};
      const bool alone = block.uniform || block.size() == 1;
      words += fmt::format("{}{}{} = {}", words.empty() ? "" : ", ", block.name,
                           alone ? "" : fmt::format("[{}]", place - block.offset), number.text());
    });
  }
  return words;
}

/// Standard errors in the place of parameters: files are as those of a model.
void set_errors(EnergyModel& model, const ModelHeader& header, const ExportRequest& request,
                const Registries& registries) {
  if (const Value* data = header.config.find("data"); !data || !data->is_table())
    throw ConfigError(
        fmt::format("{}: --errors: they are those of a fit to rows, and the model does not say which data it was "
                    "trained on. Name the "
                    "folder of a run.",
                    request.model));
  const DataSplits rows = own_data(request.model, header.config, model.layout(), registries,
                                   "Errors are those of the rows that the run was trained on.");
  const Executor executor(request.threads, request.stop);
  const Execution execution{executor, random_of(request, header.config).child("errors"), request.display};
  const ParameterErrors found = parameter_errors(model, rows.train, header.config, registries, execution,
                                                 {!request.gauge.empty(), names_of_observed(header, model.layout())});
  if (request.display) {
    request.display->finish();
    request.display->warn(fmt::format("standard errors of {} rows, if these are independent: {}{}.", rows.train.rows(),
                                      found.how, request.gauge.empty() ? "" : ", in the zero-sum gauge"));
    if (const std::string shared = words_of_shared(model, found.errors); !shared.empty())
      request.display->warn(fmt::format("numbers that tables have several times: {}.", shared));
    if (!found.endless.empty())
      request.display->warn(fmt::format(
          "never together are {}: the optimum of such a coupling is not finite, and its error says nothing.",
          named_briefly(found.endless)));
    if (const auto left = gradient_left(model, rows.train, header.config, {}, registries, execution);
        left && !left->converged())
      request.display->warn("errors are those of the optimum, and " + words_of_gradient(*left));
  }
  model.update_parameters([&](std::span<Real> theta) {
    std::ranges::transform(found.errors, theta.begin(), [](double e) { return static_cast<Real>(e); });
  });
}

/// Whether --output names a file in place of a folder.
bool is_array_file(const std::string& output) {
  const std::string extension = std::filesystem::path(output).extension().string();
  if (extension == ".npy" || extension == ".npz") return true;
  for (const char* other : {".csv", ".txt", ".h5"})
    if (extension == other && !std::filesystem::is_directory(output))
      throw ConfigError(
          fmt::format("--output {}: export writes a folder of CSV files, all tensors as arrays of FILE.npz, or "
                      "couplings within a layer as a matrix in FILE.npy. Name one of these.{}",
                      output, extension == ".csv" ? " --contacts writes a table of pairs." : ""));
  return false;
}

/// All tensors as arrays, or couplings as a matrix.
void export_file(const EnergyModel& model, const ModelHeader& header, const DataUnits& units,
                 const ExportRequest& request) {
  if (request.output.ends_with(".npz")) {
    tell_units(request, formula_of_arrays(units, model.layout()));
    export_arrays(model, transform_arrays(units, model.layout()), model_text(header.config), request.output);
    return;
  }
  tell_units(request, formula_of_transform(units), " Exporting to a folder writes these files.");
  export_matrix(model, request.output);
}

}  // namespace

std::vector<std::string> export_model(const ExportRequest& request, const Registries& builtin) {
  check_form(request);
  const bool as_file = !request.contacts && is_array_file(request.output);
  if (as_file || request.contacts) check_output(request.output, {request.model});
  else check_output_folder(request.output);
  const ModelHeader header = read_model_header(request.model);
  const Registries registries = with_plugins(builtin, request, header);
  const std::unique_ptr<EnergyModel> model = load_model(request.model, header, registries);
  if (request.contacts) {
    export_contacts(*model, header, request);
    return {request.output};
  }
  set_gauge(*model, request);
  if (request.errors) set_errors(*model, header, request, registries);
  const DataUnits units = data_units_of(request.model, header, model->layout());
  if (!as_file) return export_folder(*model, header, units, request, registries);
  export_file(*model, header, units, request);
  return {request.output};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
