#include <harmonium/cli/options.hpp>

#include <cmath>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {

CLI::Option* add_plugins(CLI::App& command, std::vector<std::string>& plugins) {
  return command.add_option("--plugin", plugins, "Load a plugin: its name, or its file (as often as needed)")
      ->type_name("PLUGIN")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->check(not_empty());
}

namespace {

constexpr const char* common_group = "Options of every command that runs a model";

}  // namespace

CLI::Option* add_threads(CLI::App& command, int& threads) {
  return command
      .add_option("--threads", threads, "Most threads to use (default: all cores); results do not depend on it")
      ->type_name("N")
      ->check(whole_number(1, 4096));
}

CLI::Option* add_settings(CLI::App& command, std::vector<std::string>& settings, const char* example) {
  return command.add_option("--set", settings, fmt::format("Set one option (as often as needed), such as {}", example))
      ->type_name("KEY=VALUE")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void add_common(CLI::App& command, CommonRequest& request, bool& quiet, const char* settings) {
  add_settings(command, request.set, settings)->group(common_group);
  add_execution(command, request, quiet);
}

void add_execution(CLI::App& command, CommonRequest& request, bool& quiet) {
  command
      .add_option("--seed", request.seed,
                  "Seed of all random numbers (default: that of the configuration or the model)")
      ->type_name("N")
      ->check(whole_number(0, most_of_a_count))
      ->group(common_group);
  add_threads(command, request.threads)->group(common_group);
  command.add_flag("--quiet", quiet, "No progress bar and no remarks")->group(common_group);
  add_plugins(command, request.plugins)->group(common_group);
}

CLI::Option* add_file(CLI::App& command, const char* name, std::string& slot, const char* help) {
  return command.add_option(name, slot, help)->type_name("FILE")->check(not_empty());
}

CLI::Option* add_model(CLI::App& command, std::string& model) {
  return add_file(command, "MODEL.h5|RUN", model, "Model file (model.h5 of a run, or a checkpoint), or a run's folder")
      ->required();
}

CLI::Option* add_name(CLI::App& command, const char* flag, std::string& slot, const char* type, const char* help) {
  const CLI::Validator no_stream(
      [](std::string& text) -> std::string {
        return text == "-" ? "nothing is written to standard output by it. Name a file or folder, as the help says."
                           : "";
      },
      "");
  CLI::Option* const option = command.add_option(flag, slot, help)->type_name(type)->check(not_empty());
  return std::string_view(flag) == "--output" ? option->check(no_stream) : option;
}

void add_clamp(CLI::App& command, std::vector<std::string>& clamp, const std::string& help, const std::string& option) {
  command.add_option(option, clamp, help)
      ->type_name("WHAT")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

CLI::Option* add_data(CLI::App& command, std::string& data) {
  return add_name(command, "--data", data, "DATA",
                  "A file, read as the model's data were, or rows to make, such as bars_and_stripes:side=4");
}

CLI::Option* add_split(CLI::App& command, std::string& split) {
  return add_name(command, "--split", split, "NAME",
                  "Of the own rows of a run, or of any model of it, these alone: training, validation or test");
}

CLI::Validator one_temperature(const CLI::Option* beta) {
  const CLI::Validator number = positive_number();
  return CLI::Validator(
      [beta, number](std::string& text) -> std::string {
        if (beta->count() > 0)
          return fmt::format("{} names the inverse temperature already. Leave one of the two out.", beta->get_name());
        if (text.find(',') != std::string::npos)
          return fmt::format("'{}' is several. 'evaluate' and 'observe' take these by --temperatures, or --betas.",
                             text);
        if (std::string wrong = number(text); !wrong.empty()) return wrong;
        if (std::isfinite(1.0 / std::strtod(text.c_str(), nullptr))) return {};
        return fmt::format("the inverse of {} is beyond what a number holds. Give a higher temperature.", text);
      },
      "");
}

std::string OneTemperature::given() const {
  if (beta->count() > 0) return beta->get_name();
  return temperature->count() > 0 ? temperature->get_name() : "";
}

namespace {

/// Adds both options; `slot` may be one that is absent.
template <class Slot>
OneTemperature add_either(CLI::App& command, const std::string& prefix, Slot& slot, const std::string& help) {
  const CLI::Option* beta = command.add_option(prefix + "beta", slot, help)->type_name("B")->check(number_from_zero());
  const auto set = [&slot](const double& temperature) { slot = 1.0 / temperature; };
  const CLI::Option* temperature = command.add_option_function<double>(prefix + "temperature", set, of_temperature)
                                       ->type_name("T")
                                       ->check(one_temperature(beta));
  return {beta, temperature};
}

}  // namespace

OneTemperature add_beta(CLI::App& command, double& beta) {
  return add_either(command, "--", beta, fmt::format("{} (default: 1)", of_beta));
}

OneTemperature add_against_beta(CLI::App& command, std::optional<double>& beta) {
  return add_either(command, "--against-", beta, "Inverse temperature of OTHER alone (default: that of MODEL)");
}

}  // namespace v1
}  // namespace harmonium
