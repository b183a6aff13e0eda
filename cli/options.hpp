#pragma once

#include <cstdint>
#include <limits>
#include <optional>
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

// Of a temperature all commands say the same.
inline constexpr const char* of_beta = "Inverse temperature 1/T: p(x) ~ exp(-B E(x))";
inline constexpr const char* of_temperature = "The same as a temperature T = 1/beta";
inline constexpr const char* of_betas = "Inverse temperatures: 0.2,0.4, FIRST:LAST:COUNT or FIRST:LAST:STEP";
inline constexpr const char* of_temperatures = "The same of temperatures T = 1/beta";

/// A number above 0 of which the inverse is finite, where `beta`, another option, was not given too.
CLI::Validator one_temperature(const CLI::Option* beta);

/// One temperature of a command, as --beta or as --temperature.
struct OneTemperature {
  const CLI::Option *beta = nullptr, *temperature = nullptr;
  /// The one of them that was given, once the command line is read; empty: neither.
  std::string given() const;
};

/// Either sets `beta`, the inverse temperature.
/// beta = 0 is infinite temperature.
OneTemperature add_beta(CLI::App& command, double& beta);
/// The same of another model, that of --against: --against-beta and --against-temperature.
OneTemperature add_against_beta(CLI::App& command, std::optional<double>& beta);
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
