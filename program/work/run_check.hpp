#pragma once

#include <string>

#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/framework/testing/report.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Makes a few updates of the run that `config` describes: on 1 thread and on 3, at once and in two parts. All must give the
/// same bits. `folder`: relative paths are taken from there.
void check_run(const Value& config, const Registries& registries, const std::string& folder, CheckReport& report);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
