#pragma once

#include <vector>

#include <harmonium/program/differing_settings.hpp>

namespace harmonium {
inline namespace v1 {

/// The name of the estimator in the effective configuration of a run: that of the preset which stands for its phases ("exact", "cd"), else its
/// type. Null where there is no estimator, or one of phases that no preset stands for. It lives as long as `config`.
const Value* estimator_name(const Value& config);

/// Of estimators that are composed of other phases, one row "estimator" with their names in place of those rows that these tell. Nothing
/// changes where a run's has no name, or all have the same.
void name_estimators(const std::vector<ComparedRun>& runs, std::vector<DifferingSetting>& differing);

}  // namespace v1
}  // namespace harmonium
