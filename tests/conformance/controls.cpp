#include <harmonium/tests/conformance/controls.hpp>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>

namespace harmonium::testing {

Scaled::Scaled(const std::string& toml, Real factor, std::string tensor) : factor_(factor), tensor_(std::move(tensor)) {
  static const Registries registries = [] {
    Registries all;
    enroll_builtin(all);
    return all;
  }();
  Value effective;
  inner_ = registries.make<GradientEstimator>(parse_toml(toml, "test"), effective);
}

GradientEstimator::Report Scaled::estimate(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                                           const Execution& execution) {
  Report report = inner_->estimate(model, data, gradient, execution);
  for (const ParameterBlock& block : model.parameter_layout().blocks())
    for (Index k = block.offset; k < block.offset + block.size(); ++k)
      if (tensor_.empty() || block.name == tensor_) gradient[k] *= factor_;
  return report;
}

}  // namespace harmonium::testing
