#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <harmonium/cli/help.hpp>
#include <harmonium/framework/run/request.hpp>

namespace harmonium {
inline namespace v1 {

// Arguments and options that several commands have.

/// --seed, --threads, --quiet and --plugin.
void add_execution(CLI::App& command, CommonRequest& request, bool& quiet);
/// The same and --set; `settings` is an example of the latter.
void add_common(CLI::App& command, CommonRequest& request, bool& quiet, const char* settings);
/// --set; `example` is one of them.
CLI::Option* add_settings(CLI::App& command, std::vector<std::string>& settings, const char* example);
CLI::Option* add_threads(CLI::App& command, int& threads);
CLI::Option* add_plugins(CLI::App& command, std::vector<std::string>& plugins);

/// An argument that names a file.
CLI::Option* add_file(CLI::App& command, const char* name, std::string& slot, const char* help);
CLI::Option* add_model(CLI::App& command, std::string& model);
CLI::Option* add_name(CLI::App& command, const char* flag, std::string& slot, const char* type, const char* help);
/// --clamp, or another option that names units so, as often as needed.
void add_clamp(CLI::App& command, std::vector<std::string>& clamp,
               const std::string& help =
                   "Hold LAYER=VALUE, LAYER[I]=VALUE, LAYER[I:J]=VALUE, LAYER=each, COLUMN=VALUE, "
                   "FILE of rows",
               const std::string& option = "--clamp");
void add_beta(CLI::App& command, double& beta);
/// The same where all can be had at infinite temperature, beta = 0, too.
void add_beta_from_zero(CLI::App& command, double& beta);
/// --data: a file or a source that makes its rows.
CLI::Option* add_data(CLI::App& command, std::string& data);
/// --split: a part of a run's own rows.
CLI::Option* add_split(CLI::App& command, std::string& split);

/// A number above 0; `slot` may be one that is absent.
template <class Slot>
CLI::Option* add_positive(CLI::App& command, const char* flag, Slot& slot, const char* type, const char* help,
                          double most = std::numeric_limits<double>::max()) {
  return command.add_option(flag, slot, help)->type_name(type)->check(positive_number(most));
}

inline constexpr std::uint64_t most_of_a_count = INT64_MAX;  // what a configuration can hold

/// A whole number; `slot` may be one that is absent.
template <class Slot>
CLI::Option* add_count(CLI::App& command, const char* flag, Slot& slot, const char* type, std::uint64_t min,
                       const char* help) {
  return command.add_option(flag, slot, help)->type_name(type)->check(whole_number(min, most_of_a_count));
}

}  // namespace v1
}  // namespace harmonium
