#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/training/state_columns.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/data_remarks.hpp>
#include <harmonium/program/work/free_parameters.hpp>
#include <harmonium/program/work/left_options.hpp>
#include <harmonium/program/work/meanings.hpp>
#include <harmonium/program/work/preset_text.hpp>
#include <harmonium/program/work/products_text.hpp>
#include <harmonium/program/work/relatives_words.hpp>
#include <harmonium/program/work/run_timing.hpp>
#include <harmonium/program/work/sequence_remarks.hpp>
#include <harmonium/program/work/unmeasured_words.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// What follows from the options: sizes, updates, cost and memory.
std::string derived(const Experiment& experiment, const Registries& registries) {
  const ParameterLayout& parameters = experiment.model().parameter_layout();
  const std::string tensors = tensors_text(parameters);
  const DataSplits& data = experiment.data();
  const TrainingOptions& training = experiment.training();
  const Index batches = experiment.updates_per_epoch();
  const std::uint64_t updates = training.total_updates(batches);
  const double operations = experiment.operations_per_update();
  const MemoryNeed memory = experiment.memory();
  Index learned = 0;
  const bool shared = std::ranges::any_of(parameters.blocks(), &ParameterBlock::uniform);
  for (const ParameterBlock& b : parameters.blocks())
    learned += b.learned ? free_parameters(b, experiment.model().layout()) : 0;
  std::string text =
      learned == parameters.size()
          ? fmt::format("parameters: {} ({})\n", parameters.size(), tensors)
          : fmt::format("parameters: {} that are learned, of {} numbers in all ({}); a pair of a layer counts once{}\n",
                        learned, parameters.size(), tensors, shared ? ", and so does a bias of all units" : "");
  if (const std::string formula = experiment.model().formula(); !formula.empty())
    text += fmt::format("energy: {}\n", formula);
  text +=
      fmt::format("rows: {} for training, {} for validation, {} for test; columns: {}\n", data.train.rows(),
                  data.validation ? data.validation->rows() : 0, data.test ? data.test->rows() : 0, data.train.cols());
  for (const std::string& words : relatives_words(*experiment.effective_config().find("data"), data.train))
    text += words + "\n";
  text += fmt::format("updates: {}; batches an epoch: {}, of {} row{}\n", updates, batches, *training.batch_size,
                      *training.batch_size == 1 ? "" : "s");
  text += fmt::format("matrix products an update: {:.6g} (vectors times all couplings)\n",
                      experiment.products_per_update());
  text += fmt::format("operations: about {:.2g} an update, {:.2g} in all, without what observers measure\n", operations,
                      operations * static_cast<double>(updates));
  if (const Index steps = experiment.burn_in(); steps > 0)
    text += fmt::format("before the first update: {} step{} of new chains, from rows of the data\n", steps,
                        steps == 1 ? "" : "s");
  text += products_text(experiment.model(), *training.batch_size);
  text += fmt::format("memory at its peak: about {} ({}); there is {}\n", bytes_in_words(memory.bytes()),
                      memory.summary(4), bytes_in_words(machine_memory()));
  for (const auto& [name, why] : told_unmeasured(experiment, registries))
    text += fmt::format("{} is not measured: {}\n", name, why);
  for (const auto& [name, why] : experiment.measured_last())
    text += fmt::format("{} is measured at the end of the run alone: {}\n", name, why);
  if (const std::string remark = states_remark(data.train, experiment.model().layout()); !remark.empty())
    text += fmt::format("note: {}\n", remark);
  for (const std::string& remark : data_remarks(data.train, experiment.model().layout()))
    text += fmt::format("note: {}\n", remark);
  for (const std::string& remark : sequence_remarks(data.train, experiment.effective_config()))
    text += fmt::format("note: {}\n", remark);
  return text;
}

/// Of a run that has no log likelihood: for what log Z would take, or because its states cannot be enumerated. Else empty.
std::string why_no_likelihood(const Experiment& experiment, const Registries& registries) {
  const std::uint64_t epochs =
      experiment.epochs_of(experiment.training().total_updates(experiment.updates_per_epoch()));
  const std::string& dear = experiment.dear_likelihood();
  const auto& plain = experiment.unmeasured();
  const auto told = told_unmeasured(experiment, registries);
  for (Index k = 0; k < told.size(); ++k) {
    const auto& [name, why] = told[k];
    if (name != "log_likelihood" || why == dear) continue;
    if (why != plain[k].second) return why;  // which says how it is had
    return fmt::format(
        "{} So: --set 'observers=[{{type=\"log_likelihood\",log_z=\"ais\",every={}}}]'; or ask 'harmonium evaluate "
        "RUN' "
        "for it afterwards.",
        why, std::max<std::uint64_t>(1, epochs));
  }
  return dear;
}

/// The name of the first part of the data with missing entries; empty where there is none.
std::string name_of_holes(const DataSplits& data) {
  for (const Dataset* part :
       {&data.train, data.validation ? &*data.validation : nullptr, data.test ? &*data.test : nullptr})
    if (part && part->has_missing()) return part->name();
  return "";
}

}  // namespace

AssembledRun assemble(const TrainRequest& request, const Registries& builtin) {
  const Registries registries = with_plugins(builtin, request, request.config);
  const Executor executor(request.threads, request.stop);
  std::vector<std::string> left_out;
  const Experiment experiment(without_left_options(request.config, registries, left_out), registries,
                              request.config_folder, executor);
  AssembledRun assembled{experiment.effective_config(), experiment.memory().bytes()};
  assembled.left_out = std::move(left_out);
  assembled.left_out.insert(assembled.left_out.end(), experiment.left_out().begin(), experiment.left_out().end());
  for (const DataFile& file : experiment.origin().files) assembled.data.emplace_back(file.path, file.sha256);
  assembled.updates = static_cast<double>(experiment.training().total_updates(experiment.updates_per_epoch()));
  assembled.operations_per_update = experiment.operations_per_update();
  assembled.dear_likelihood = why_no_likelihood(experiment, registries);
  assembled.holes_in = name_of_holes(experiment.data());
  return assembled;
}

RunSeconds seconds_of_run(const TrainRequest& request, const Registries& builtin) {
  const Registries registries = with_plugins(builtin, request, request.config);
  const Executor executor(request.threads, request.stop);
  Experiment experiment(without_left_options(request.config, registries, request.display), registries,
                        request.config_folder, executor);
  return seconds_of(experiment, registries, executor);
}

std::string explain(const ExplainRequest& request, const Registries& builtin) {
  const Registries registries = with_plugins(builtin, request, request.config);
  const Executor executor(request.threads, request.stop);
  const Value config = without_left_options(request.config, registries, request.display);
  Experiment experiment(config, registries, request.config_folder, executor);
  const Value& effective = experiment.effective_config();
  const Meanings meanings(effective, registries);

  const auto remarks = [&](const std::string& path) {
    std::string text = meanings(path);
    if (path != "estimator" && path != "model") return text;
    const Value* given = config.find(path);
    const Value* asked = given ? given->find("type") : nullptr;
    if (asked && !(*asked == *effective.find(path)->find("type")))
      text += fmt::format("\n'{}' is short for what this table says.", std::get<std::string>(asked->data));
    return text;
  };
  std::string numbers = derived(experiment, registries);
  const std::string text = write_toml(effective, remarks);
  if (request.timing) numbers = timing_text(experiment, executor) + numbers;
  return toml_comment("The configuration with everything that it leaves open written out, as a run would.\n\n" +
                      numbers) +
         "\n" + text;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
