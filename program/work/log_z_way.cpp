#include <harmonium/program/work/log_z_way.hpp>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/work/command_options.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

bool serves(const LogPartition& way, const EnergyModel& model) {
  try {
    way.check(model);
    return true;
  } catch (const CapabilityError&) {
    return false;
  }
}

}  // namespace

LogZWay::LogZWay(const EvaluateRequest& request, const Value& options, const EnergyModel& model,
                 const Registries& registries) {
  const bool named = !request.log_z.empty() && request.log_z != "auto";
  asked_for_ = named || options.find("log_z");
  const auto made = [&](const std::string& name) {
    Value spec = component_spec(options, "log_z", name), effective;
    if (request.effort && spec.find("type") && *spec.find("type") != make_value("ais"))
      throw ConfigError("--effort is for annealing, and log Z is asked for otherwise. Add --log-z ais.");
    if (request.effort) spec.set("effort", make_value(*request.effort));
    return registries.make<LogPartition>(spec, effective);
  };
  way_ = made(named ? request.log_z : "exact");
  if (asked_for_ || serves(*way_, model)) return;
  if (auto elimination = made("variable_elimination"); serves(*elimination, model)) way_ = std::move(elimination);
}

std::optional<LogPartitionEstimate> LogZWay::estimate(const EnergyModel& model, double beta, const Execution& execution,
                                                      std::string& why_not) const {
  try {
    way_->check(model);
  } catch (const CapabilityError& error) {
    if (asked_for_) throw;
    why_not = error.what() + std::string(" Or ask for an estimate with an interval: --log-z ais.");
    return {};
  }
  MemoryNeed need;
  need.add("the parameters", static_cast<double>(model.parameter_layout().size()) * sizeof(Real), "");
  way_->memory(model, need);
  need.check("log Z");
  return way_->estimate(model, beta, execution);
}

std::optional<LogPartitionEstimate> LogZWay::estimate_mean(const EnergyModel& model, double beta, const Chains& rows,
                                                           const HeldMask& held, const Execution& execution,
                                                           std::string& why_not) const {
  try {
    return way_->estimate_mean(model, beta, rows, held, execution);
  } catch (const CapabilityError& error) {
    why_not = asked_for_ ? std::string(error.what()) : "it can be had with an interval: --log-z ais.";
    return {};
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
