#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/model_of_run.hpp>
#include <harmonium/program/work/parameter_names.hpp>
#include <harmonium/program/work/spelt_out_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

class ProgramOfPrecision final : public Program {
 public:
  TrainOutcome train(const TrainRequest& request) const override { return HARMONIUM_ABI::train(request, builtin_); }
  std::string explain(const ExplainRequest& request) const override {
    return HARMONIUM_ABI::explain(request, builtin_);
  }
  AssembledRun assemble(const TrainRequest& request) const override {
    return HARMONIUM_ABI::assemble(request, builtin_);
  }
  std::vector<std::string> parameter_names(const TrainRequest& request) const override {
    return HARMONIUM_ABI::parameter_names(request, builtin_);
  }
  RunSeconds seconds_of_run(const TrainRequest& request) const override {
    return HARMONIUM_ABI::seconds_of_run(request, builtin_);
  }
  std::vector<CheckResult> check(const TrainRequest& request) const override {
    return HARMONIUM_ABI::check(request, builtin_);
  }
  std::string init(const InitRequest& request) const override { return HARMONIUM_ABI::init(request, builtin_); }
  Inspection inspect(const InspectRequest& request) const override { return HARMONIUM_ABI::inspect(request, builtin_); }
  std::string import_model(const ImportRequest& request) const override {
    return HARMONIUM_ABI::import_model(request, builtin_);
  }
  std::string sample(const SampleRequest& request) const override { return HARMONIUM_ABI::sample(request, builtin_); }
  Evaluations evaluate(const EvaluateRequest& request) const override {
    return HARMONIUM_ABI::evaluate(request, builtin_);
  }
  std::vector<std::pair<double, Evaluation>> evaluate_along(const EvaluateRequest& request) const override {
    return HARMONIUM_ABI::evaluate_along(request, builtin_);
  }
  std::vector<std::vector<double>> energies_of_rows(const EnergiesRequest& request) const override {
    return HARMONIUM_ABI::energies_of_rows(request, builtin_);
  }
  RatioOfDraws ratio_of_draws(const DrawnEnergies& one, const DrawnEnergies& other) const override {
    return HARMONIUM_ABI::ratio_of_draws(one, other);
  }
  std::string transform(const TransformRequest& request) const override {
    return HARMONIUM_ABI::transform(request, builtin_);
  }
  PassedUp pass_up(const PassUpRequest& request) const override { return HARMONIUM_ABI::pass_up(request, builtin_); }
  void check_machines(const Value& tables, const JoinRequest& request) const override {
    HARMONIUM_ABI::check_machines(tables, request, builtin_);
  }
  void join_machines(const JoinRequest& request) const override { HARMONIUM_ABI::join_machines(request, builtin_); }
  void compose_deep(const JoinRequest& request, const Value& deep) const override {
    HARMONIUM_ABI::compose_deep(request, deep, builtin_);
  }
  Diagnosis diagnose(const DiagnoseRequest& request) const override {
    return HARMONIUM_ABI::diagnose(request, builtin_);
  }
  std::vector<WeightSpectrum> spectra(const SpectraRequest& request) const override {
    return HARMONIUM_ABI::spectra(request, builtin_);
  }
  ModelDescription describe_model(const DescribeModelRequest& request) const override {
    return HARMONIUM_ABI::describe_model(request, builtin_);
  }
  std::vector<std::string> export_model(const ExportRequest& request) const override {
    return HARMONIUM_ABI::export_model(request, builtin_);
  }
  Observation observe(const ObserveRequest& request) const override {
    return HARMONIUM_ABI::observe(request, builtin_);
  }
  GradientFigures gradient(const GradientRequest& request) const override {
    return HARMONIUM_ABI::gradient(request, builtin_);
  }
  std::vector<DrawnPicture> draw(const DrawRequest& request) const override {
    return HARMONIUM_ABI::draw(request, builtin_);
  }
  std::string drawn_model(const DrawRequest& request) const override { return HARMONIUM_ABI::drawn_model(request); }
  Value spelt_out_model(const Value& model) const override { return HARMONIUM_ABI::spelt_out_model(model, builtin_); }
  std::string model_of_run(const std::string& given) const override { return HARMONIUM_ABI::model_of_run(given); }
  StudyOutcome study(const StudyRequest& request) const override { return HARMONIUM_ABI::study(request, builtin_); }
  std::vector<ComponentDescription> components(const std::vector<std::string>& plugins) const override {
    return list_components(plugins, builtin_);
  }
  std::vector<ComponentDescription> sections() const override { return list_sections(); }
  std::vector<PluginListing> plugins(const std::vector<std::string>& given) const override {
    return list_plugins(given, builtin_);
  }

 private:
  const Registries& builtin_ = builtin_registries();
};

}  // namespace

const Program& this_program() {
  static const ProgramOfPrecision instance;
  return instance;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
