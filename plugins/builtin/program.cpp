#include <harmonium/plugins/builtin/program.hpp>

#include <harmonium/framework/run/commands.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

Registries builtin() {
  Registries registries;
  enroll_builtin(registries);
  return registries;
}

}  // namespace

TrainOutcome run_train(const TrainRequest& request) { return train(request, builtin()); }
std::string run_explain(const TrainRequest& request) { return explain(request, builtin()); }
std::vector<CheckResult> run_check(const TrainRequest& request) { return check(request, builtin()); }
std::string run_init(const InitRequest& request) { return init(request, builtin()); }
void run_import(const ImportRequest& request) { import_edges(request, builtin()); }
std::string run_sample(const SampleRequest& request) { return sample(request, builtin()); }
Evaluation run_evaluate(const EvaluateRequest& request) { return evaluate(request, builtin()); }
GradientFigures run_gradient(const GradientRequest& request) { return gradient(request, builtin()); }
std::vector<DrawnPicture> run_draw(const DrawRequest& request) { return draw(request, builtin()); }
std::string run_drawn_model(const DrawRequest& request) { return drawn_model(request); }
StudyOutcome run_study(const StudyRequest& request) { return study(request, builtin()); }

std::vector<ComponentDescription> run_describe(const std::vector<std::string>& plugins) {
  CommonRequest request;
  request.plugins = plugins;
  std::vector<ComponentDescription> all;
  for (ComponentInfo& c : with_plugins(builtin(), request, Value{}).components())
    all.push_back(
        {std::move(c.kind), std::move(c.name), std::move(c.summary), std::move(c.origin), std::move(c.options)});
  return all;
}

std::vector<PluginListing> run_plugins(const std::vector<std::string>& plugins) {
  return list_plugins(plugins, builtin());
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
