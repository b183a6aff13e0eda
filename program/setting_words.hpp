#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/program/differing_settings.hpp>

namespace harmonium {
inline namespace v1 {

/// A value on one line, shortened; "-" where there is none.
std::string value_text(const Value* value);

/// The values of a setting, one text for each run. Of inline tables the type and the keys that differ between the runs, "cd, gibbs_steps
/// 1"; where chains start with the name of that estimator, "data (cd)"; of chains that are not counted what their number is, "0 (as the
/// batch)". Long ones are shortened, unless two that differ would then be the same.
std::vector<std::string> setting_texts(const DifferingSetting& setting);

}  // namespace v1
}  // namespace harmonium
