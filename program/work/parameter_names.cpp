#include <harmonium/program/work/parameter_names.hpp>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/run/sections.hpp>
#include <harmonium/program/work/left_options.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// With those of the estimator, where it can be made.
ParameterLayout layout_with_estimator(const EnergyModel& model, const Value& config, const Registries& registries) {
  try {
    Value effective;
    const auto estimator = registries.make<GradientEstimator>(section(config, "estimator", "", ""), effective);
    return gradient_layout(model, *estimator);
  } catch (const Error&) {  // whoever assembles the run says so
    return model.parameter_layout();
  }
}

}  // namespace

std::vector<std::string> parameter_names(const TrainRequest& request, const Registries& builtin) {
  const Registries registries = with_plugins(builtin, request, request.config);
  const Value config = without_left_options(request.config, registries, nullptr);
  Value spec = section(config, "model", "", "say what to train, with a 'type'"), effective;
  spec.erase("masks");  // their files need not be there
  const auto model = registries.make<EnergyModel>(spec, effective);
  const ParameterLayout layout = layout_with_estimator(*model, config, registries);
  std::vector<std::string> names;
  for (const ParameterBlock& block : layout.blocks()) names.push_back(block.name);
  for (const ParameterBlock& block : layout.blocks()) names.emplace_back(name_of(block.role));
  return names;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
