#pragma once

#include <string>
#include <utility>
#include <vector>

#include <harmonium/program/paired_log_z.hpp>
#include <harmonium/program/work/shown_temperature.hpp>

namespace harmonium {
inline namespace v1 {

/// log Z of two models at each of several inverse temperatures, from the hottest.
using PairedAlong = std::vector<std::pair<double, PairedLogZ>>;

/// Of a request that lists temperatures, and of models that have no rows to be judged on (have_no_rows).
PairedAlong evaluate_log_z_along(const EvaluateRequest& request, const std::string& other_model,
                                 const PairedNames& names);

/// A table of a line a temperature.
std::string paired_along_text(const PairedAlong& all, const PairedNames& names, ShownTemperature shown);
std::string paired_along_json(const PairedAlong& all, const PairedNames& names);

}  // namespace v1
}  // namespace harmonium
