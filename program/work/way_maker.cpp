#include <harmonium/program/work/way_maker.hpp>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/sections.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/own_run.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Whether a way has the option 'effort'.
bool has_effort(const Registries& registries, const std::string& name) {
  const auto known = option_names(registries, LogPartition::kind, name);
  return known && std::ranges::find(*known, "effort") != known->end();
}

}  // namespace

MadeWay WayMaker::operator()(const std::string& name) const {
  Value spec = with_own_run(component_spec(options_, "log_z", name), LogPartition::kind, request_.model, registries_);
  const Value* type = spec.find("type");
  MadeWay made{{}, type && type->is_string() ? std::get<std::string>(type->data) : name};
  made.takes_effort = has_effort(registries_, made.type);
  if (request_.effort && made.takes_effort) spec.set("effort", make_value(*request_.effort));
  Value effective;
  made.way = made_of(spec, made.type, effective);
  const auto option = [&](const char* key) {
    const Value* given = effective.find(key);
    return given ? given->number() : std::nullopt;
  };
  made.length = {option("effort"), option("num_steps")};
  return made;
}

/// Options of a way that was not named are taken for those of 'exact'.
std::shared_ptr<LogPartition> WayMaker::made_of(const Value& spec, const std::string& type, Value& effective) const {
  try {
    return registries_.make<LogPartition>(spec, effective);
  } catch (const ConfigError& error) {
    const Value* given = options_.find("log_z");
    const bool other = std::string_view(error.what()).find("did you mean") == std::string_view::npos;
    if (!other || !request_.log_z.empty() || type != "exact" || !given || given->find("type")) throw;
    throw ConfigError(fmt::format("{} If they are of another way, name it: --log-z ais.", error.what()));
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
