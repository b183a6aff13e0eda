#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/run/request.hpp>
#include <harmonium/plugins/builtin/program.hpp>

namespace harmonium {
inline namespace v1 {

/// Results as text for people, or as one JSON object with 17 significant digits; what is absent or no number is null.
std::string evaluation_text(const Evaluation& evaluation);
std::string evaluation_json(const Evaluation& evaluation);
std::string gradient_text(const GradientFigures& figures, const GradientRequest& request);
std::string gradient_json(const GradientFigures& figures, const GradientRequest& request);
/// Components of `kind`, or of all kinds where it is empty. Throws ConfigError for a kind that there is not.
std::string list_text(const std::vector<ComponentDescription>& all, const std::string& kind);
/// The options of a component. Throws ConfigError for one that there is not.
std::string describe_text(const std::vector<ComponentDescription>& all, const std::string& kind,
                          const std::string& name);
/// The results of checks, those of one subject together, those that failed once more at the end, and how many these are.
std::string check_text(const std::vector<CheckResult>& results);
/// Those that failed alone, under their subjects; nothing where none did.
std::string failures_text(const std::vector<CheckResult>& results);
/// The plugins of all precisions, those that were not loaded last.
std::string plugins_text(const std::vector<PluginListing>& all);

}  // namespace v1
}  // namespace harmonium
