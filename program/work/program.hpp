#pragma once

#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/inference/ratio_of_draws.hpp>
#include <harmonium/framework/testing/report.hpp>
#include <harmonium/program/work/certified_rows.hpp>
#include <harmonium/program/work/findings.hpp>
#include <harmonium/program/work/model_description.hpp>
#include <harmonium/program/work/observation.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace v1 {

/// What the program asks of a precision: its commands, with everything that is built in. There is one for each, and who
/// asks names Real nowhere. They throw Error and print nothing.
class Program {
 public:
  virtual ~Program() = default;
  virtual TrainOutcome train(const TrainRequest& request) const = 0;
  virtual std::string explain(const ExplainRequest& request) const = 0;
  virtual AssembledRun assemble(const TrainRequest& request) const = 0;
  virtual RunSeconds seconds_of_run(const TrainRequest& request) const = 0;
  virtual std::vector<CheckResult> check(const TrainRequest& request) const = 0;
  virtual std::string init(const InitRequest& request) const = 0;
  virtual Inspection inspect(const InspectRequest& request) const = 0;
  /// Returns what was read, in lines.
  virtual std::string import_model(const ImportRequest& request) const = 0;
  virtual std::string sample(const SampleRequest& request) const = 0;
  virtual Evaluations evaluate(const EvaluateRequest& request) const = 0;
  /// At each of `request.listed`, from the hottest.
  virtual std::vector<std::pair<double, Evaluation>> evaluate_along(const EvaluateRequest& request) const = 0;
  /// Of each set of rows, −log of the density but for log Z.
  virtual std::vector<std::vector<double>> energies_of_rows(const EnergiesRequest& request) const = 0;
  /// log(Z_one / Z_other), the same for each precision.
  virtual RatioOfDraws ratio_of_draws(const DrawnEnergies& one, const DrawnEnergies& other) const = 0;
  virtual std::string transform(const TransformRequest& request) const = 0;
  virtual PassedUp pass_up(const PassUpRequest& request) const = 0;
  virtual void check_machines(const Value& tables, const JoinRequest& request) const = 0;
  virtual void join_machines(const JoinRequest& request) const = 0;
  virtual void compose_deep(const JoinRequest& request, const Value& deep) const = 0;
  virtual Diagnosis diagnose(const DiagnoseRequest& request) const = 0;
  virtual std::vector<WeightSpectrum> spectra(const SpectraRequest& request) const = 0;
  virtual ModelDescription describe_model(const DescribeModelRequest& request) const = 0;
  /// Returns the files that it wrote.
  virtual std::vector<std::string> export_model(const ExportRequest& request) const = 0;
  virtual Observation observe(const ObserveRequest& request) const = 0;
  virtual GradientFigures gradient(const GradientRequest& request) const = 0;
  virtual std::vector<DrawnPicture> draw(const DrawRequest& request) const = 0;
  /// The table [model] of a configuration with what a preset stands for in its place. Throws as making the model does.
  virtual Value spelt_out_model(const Value& model) const = 0;
  /// The model file that an argument names, which may be the folder of a run; the same for each precision.
  virtual std::string model_of_run(const std::string& given) const = 0;
  /// The model file that `draw` takes its pictures from, the same for each precision; empty where it draws a file of data.
  virtual std::string drawn_model(const DrawRequest& request) const = 0;
  virtual StudyOutcome study(const StudyRequest& request) const = 0;
  /// Every component that there is, those of plugins too.
  virtual std::vector<ComponentDescription> components(const std::vector<std::string>& plugins) const = 0;
  /// The tables of a configuration that are no components: training and pictures, each with its options.
  virtual std::vector<ComponentDescription> sections() const = 0;
  /// The plugins of this precision that are given as files or found.
  virtual std::vector<PluginListing> plugins(const std::vector<std::string>& given) const = 0;
  /// By which names optimizer.factors of a run may call what it learns.
  virtual std::vector<std::string> parameter_names(const TrainRequest& request) const = 0;
};

}  // namespace v1
}  // namespace harmonium
