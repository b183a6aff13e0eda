#pragma once

#include <span>

#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/program.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

// The program's commands, for one precision: what a request asks for is built, checked, done, and written. They throw
// Error and print nothing.

TrainOutcome train(const TrainRequest& request, const Registries& builtin);
/// Builds all that `train` would run, with every error that it would begin with. Writes no file.
AssembledRun assemble(const TrainRequest& request, const Registries& builtin);
/// How long what `train` would run takes, by a second of its updates and one time each of what it does beside them. Throws what the
/// updates throw. Writes no file.
RunSeconds seconds_of_run(const TrainRequest& request, const Registries& builtin);
/// What `train` would run, as a configuration with its meanings and derived numbers in comments, and how long it would take. Writes no file.
std::string explain(const ExplainRequest& request, const Registries& builtin);
/// Whether the components that a configuration names keep what their interfaces promise, on a small model of its kind and
/// in the run itself. Writes no file.
std::vector<CheckResult> check(const TrainRequest& request, const Registries& builtin);
/// A configuration for a data file, with its meanings in comments. Writes no file.
std::string init(const InitRequest& asked, const Registries& builtin);
/// What a data file holds, and what would be made of it. Writes no file.
Inspection inspect(const InspectRequest& request, const Registries& builtin);
/// A machine of spins whose couplings are the weights of a file of edges, or what a configuration describes, as a model file;
/// returns what was read, in lines.
std::string import_model(const ImportRequest& request, const Registries& registries);
/// Returns what there is to say of a ladder of temperatures and of a descent, in lines.
std::string sample(const SampleRequest& given, const Registries& builtin);
Evaluations evaluate(const EvaluateRequest& request, const Registries& builtin);
/// The same at each of `request.listed`, from the hottest, of the data that is named or of none.
std::vector<std::pair<double, Evaluation>> evaluate_along(const EvaluateRequest& request, const Registries& builtin);
/// Of each set of rows: −log of the density under a model but for log Z, in nats at its inverse temperature, with the base measure of
/// the observed units where latent ones are summed out. Throws CapabilityError where these cannot be.
std::vector<std::vector<double>> energies_of_rows(const EnergiesRequest& request, const Registries& builtin);
/// Writes what a layer is given each row of data; returns a line that says how it was found.
std::string transform(const TransformRequest& request, const Registries& builtin);
/// Writes what a machine of a stack passes up, and says what the next one's run is.
PassedUp pass_up(const PassUpRequest& request, const Registries& builtin);
/// Throws ConfigError where machines of these tables [model], a list, make no stack.
void check_machines(const Value& tables, const JoinRequest& request, const Registries& builtin);
/// Writes a stack of trained machines as one model.
void join_machines(const JoinRequest& request, const Registries& builtin);
/// Writes the deep Boltzmann machine `deep`, a table [model], that trained RBMs make (Salakhutdinov & Hinton 2009, section 3.2):
/// couplings are theirs, those of machines between the lowest and the top one halved, and biases of layers that two machines
/// share the mean of both. Throws ConfigError for machines that are no RBMs.
void compose_deep(const JoinRequest& request, const Value& deep, const Registries& builtin);
/// Whether chains of a sampler mix on a model. Writes no file.
Diagnosis diagnose(const DiagnoseRequest& given, const Registries& builtin);
/// Of every coupling of two layers, or within one, in the order of the model's tensors.
std::vector<WeightSpectrum> spectra(const SpectraRequest& request, const Registries& builtin);
/// What a model file holds.
ModelDescription describe_model(const DescribeModelRequest& request, const Registries& builtin);
/// Writes each tensor of a model's parameters as a CSV file; returns these.
std::vector<std::string> export_model(const ExportRequest& request, const Registries& builtin);
/// Averages of a model at given inverse temperatures; writes tables and a figure where a folder is given.
Observation observe(const ObserveRequest& request, const Registries& builtin);
GradientFigures gradient(const GradientRequest& request, const Registries& builtin);
std::vector<DrawnPicture> draw(const DrawRequest& request, const Registries& registries);
/// A study, all of it or what an interrupted one left to do.
StudyOutcome study(const StudyRequest& request, const Registries& builtin);
/// The model file that `draw` takes its pictures from; empty where it draws rows of data. ConfigError where there is none.
std::string drawn_model(const DrawRequest& request);
/// Every component that there is, those of `plugins` too.
std::vector<ComponentDescription> list_sections();
std::vector<ComponentDescription> list_components(const std::vector<std::string>& plugins,
                                                  const Registries& registries);
/// What there is to load in this precision: the plugins that `given` and the plugin folders hold, each enrolled beside
/// `registries` alone, or why it cannot be.
std::vector<PluginListing> list_plugins(std::span<const std::string> given, const Registries& registries);

/// All of them with everything that is built in.
const Program& this_program();

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
