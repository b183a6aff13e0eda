#pragma once

#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/framework/run/request.hpp>
#include <harmonium/framework/testing/report.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The program's commands, for one precision: what a request asks for is built, checked, done, and written. They throw
/// Error and print nothing.
TrainOutcome train(const TrainRequest& request, const Registries& registries);
/// What `train` would run, as a configuration with its meanings and derived numbers in comments. Writes no file.
std::string explain(const TrainRequest& request, const Registries& registries);
/// Whether the components that a configuration names keep what their interfaces promise, on a small model of its kind and
/// in the run itself. Writes no file.
std::vector<CheckResult> check(const TrainRequest& request, const Registries& registries);
/// A configuration for a data file, with its meanings in comments. Writes no file.
std::string init(const InitRequest& request, const Registries& registries);
/// A machine of spins whose couplings are the weights of a file of edges, as a model file.
void import_edges(const ImportRequest& request, const Registries& registries);
/// Returns what there is to say of a ladder of temperatures and of a descent, in lines.
std::string sample(const SampleRequest& request, const Registries& registries);
Evaluation evaluate(const EvaluateRequest& request, const Registries& registries);
GradientFigures gradient(const GradientRequest& request, const Registries& registries);
std::vector<DrawnPicture> draw(const DrawRequest& request, const Registries& registries);
/// A study, all of it or what an interrupted one left to do.
StudyOutcome study(const StudyRequest& request, const Registries& registries);
/// The model file that `draw` takes its pictures from; empty where it draws a file of data. ConfigError where there is none.
std::string drawn_model(const DrawRequest& request);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
