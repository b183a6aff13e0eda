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
  bool annealed = false;
  const auto made = [&](const std::string& name) {
    Value spec = component_spec(options, "log_z", name), effective;
    annealed = *spec.find("type") == make_value("ais");
    if (request.effort && annealed) spec.set("effort", make_value(*request.effort));
    return registries.make<LogPartition>(spec, effective);
  };
  if (asked_for_) way_ = rows_way_ = made(named ? request.log_z : "exact");
  for (const char* name : {"exact", "variable_elimination", "ais"}) {
    if (way_) break;
    if (std::shared_ptr<LogPartition> way = made(name); serves(*way, model)) way_ = std::move(way);
  }
  if (request.effort && !annealed)
    throw ConfigError("--effort is for annealing, and log Z is found otherwise. Leave it out, or add --log-z ais.");
  if (!way_) way_ = made("exact");  // which says what would serve
  if (rows_way_) return;
  if (std::shared_ptr<LogPartition> way = made("ais"); serves(*way, model)) rows_way_ = std::move(way);
}

std::optional<LogPartitionEstimate> LogZWay::estimate(const EnergyModel& model, double beta, const Execution& execution,
                                                      std::string& why_not) const {
  try {
    way_->check(model);
  } catch (const CapabilityError& error) {
    if (asked_for_) throw;
    why_not = error.what();
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
    if (rows_way_) return rows_way_->estimate_mean(model, beta, rows, held, execution);
    why_not = "annealing does not serve this model.";
  } catch (const CapabilityError& error) {
    why_not = error.what();
  }
  return {};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
