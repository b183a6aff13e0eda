#pragma once

#include <memory>
#include <string>

#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/energy_plan.hpp>
#include <harmonium/program/work/log_z_advice.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A way to log Z, and what is known of it by its name.
struct MadeWay {
  std::shared_ptr<LogPartition> way;
  std::string type;
  bool takes_effort = false;
  LengthOfWay length = {};

  double seconds(const EnergyModel& model) const { return way->operations(model) / speed_of(type); }
};

/// Makes ways to log Z as a request has them.
class WayMaker {
 public:
  /// `options`: those of the command, with a table `log_z` or none. All must outlive it.
  WayMaker(const EvaluateRequest& request, const Value& options, const Registries& registries)
      : request_(request), options_(options), registries_(registries) {}

  /// Throws ConfigError as Registries::make does.
  MadeWay operator()(const std::string& name) const;

 private:
  std::shared_ptr<LogPartition> made_of(const Value& spec, const std::string& type, Value& effective) const;

  const EvaluateRequest& request_;
  const Value& options_;
  const Registries& registries_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
