#include <harmonium/cli/help.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/config/options.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

const CLI::App* chosen(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? nullptr : commands[0];
}

/// What stands for a temperature that was given; empty where the option is another, or the command knows none.
std::string instead_of_temperature(const std::string& option, const std::vector<std::string>& options) {
  constexpr const char* temperatures[] = {"--temperatures", "--temp", "--T", "-T"};
  if (std::ranges::find(temperatures, option) == std::end(temperatures)) return "";
  std::string flags;
  for (const char* flag : {"--beta", "--betas"})
    if (std::ranges::find(options, flag) != options.end()) flags += (flags.empty() ? "" : " or ") + std::string(flag);
  if (flags.empty()) return "";
  const bool several = std::ranges::find(options, "--temperatures") != options.end();
  return fmt::format(" (temperatures are given as --temperature{}, or as {}, the inverse 1/T)",
                     several ? " or --temperatures" : "", flags);
}

bool looks_like_option(const std::string& word) { return word.starts_with("-"); }

/// What was meant by an option that is unknown: of one letter, as in -o, the only option that begins with it.
std::string meant_by(const std::string& odd, const std::vector<std::string>& options) {
  const auto takes = [&](const char* option) { return std::ranges::find(options, option) != options.end(); };
  // As other programs call it.
  if (odd == "--force" && takes("--overwrite")) return " (did you mean '--overwrite'?)";
  // They are an option of the data, as a configuration has them.
  if ((odd == "--labels" || odd == "--label") && takes("--set") && (takes("--data") || !takes("--sampler")))
    return fmt::format(" (labels of rows are given as --set data.labels=FILE{})",
                       takes("--data") ? ", or behind the rows as --data ROWS:labels=FILE" : "");
  if (odd.size() != 2 || odd[0] != '-') return did_you_mean(odd, options);
  std::vector<std::string> same;
  std::ranges::copy_if(options, std::back_inserter(same), [&](const std::string& o) { return o[2] == odd[1]; });
  return same.size() == 1 ? fmt::format(" (did you mean '{}'?)", same[0]) : "";
}

/// Which command draws the curves of several runs, where `draw` was given them; else empty.
std::string curves_of_several(const CLI::App& command, const std::vector<std::string>& extras) {
  const auto given = [&](const char* name) {
    const CLI::Option* option = command.get_option_no_throw(name);
    return option && option->count() > 0 ? option->results().front() : std::string();
  };
  if (command.get_name() != "draw" || given("--what") != "curves") return "";
  const std::string output = given("--output");
  const bool names_figure = output.ends_with(".svg") || output.ends_with(".png");
  return fmt::format(" (curves of several runs are drawn by 'harmonium compare {} {} --output {}')", given("WHAT"),
                     fmt::join(extras, " "), names_figure ? output : "curves.svg");
}

/// Where `sample` writes energies, by the name of its output, given that --energies takes none of its own.
std::string place_of_energies(const std::string& output) {
  const std::string beside = "--energies takes no value: ";
  if (output.ends_with(".csv")) return fmt::format("{}energies are the last column, 'energy', of {}", beside, output);
  if (output.ends_with(".h5")) return fmt::format("{}energies are the dataset 'energies' of {}", beside, output);
  if (output.ends_with(".fasta"))
    return fmt::format("{}energies are in the names of the sequences of {}", beside, output);
  constexpr std::string_view npy = ".npy";
  const std::string stem = output.ends_with(npy) ? output.substr(0, output.size() - npy.size()) : "";
  return fmt::format("{}energies are written beside --output {}.npy, to {}.energies.npy", beside,
                     stem.empty() ? "FILE" : stem, stem.empty() ? "FILE" : stem);
}

/// Of a word beside `sample ... --energies`, such as a file for these; else empty.
std::string file_for_energies(const CLI::App& command) {
  const CLI::Option* energies = command.get_option_no_throw("--energies");
  if (!energies || energies->count() == 0) return "";
  const CLI::Option* output = command.get_option_no_throw("--output");
  return fmt::format(" ({})", place_of_energies(output && output->count() > 0 ? output->results().front() : ""));
}

/// Of `resume RUN --set SETTING`: why it takes none, and what does.
std::string settings_of_a_run(const CLI::App& command, const std::vector<std::string>& extras) {
  constexpr std::string_view joined = "--set=";
  const CLI::Option* folder = command.get_option_no_throw("RUN");
  std::string run = folder && folder->count() > 0 ? folder->results().front() : "RUN", setting;
  const auto set = std::ranges::find_if(extras, [](const std::string& word) { return word.starts_with("--set"); });
  if (set->starts_with(joined)) setting = set->substr(joined.size());
  else if (std::next(set) != extras.end()) setting = *std::next(set);
  const auto sets = [](const std::string& word) { return word.find('=') != std::string::npos; };
  if (sets(run) && !sets(setting)) std::swap(run, setting);  // `resume --set SETTING RUN` takes SETTING for RUN
  if (!sets(setting)) setting = "SECTION.KEY=VALUE";
  return fmt::format(
      "resume: unknown option '--set'. A run goes on with its own configuration, of which only its length can be "
      "another "
      "(--epochs N). 'harmonium train CONFIG --from {0} --set {1}' starts from its model with other settings.",
      run.empty() ? "RUN" : run, setting);
}

/// The commands that begin with the word, as 'evaluate' with eval, or with which it begins, as training with 'train'.
std::string begun_alike(const std::string& word, const std::vector<std::string>& commands) {
  constexpr std::size_t shortest = 2;
  std::vector<std::string> alike;
  if (word.size() >= shortest)
    for (const std::string& command : commands)
      if (command.starts_with(word) || word.starts_with(command)) alike.push_back(fmt::format("'{}'", command));
  return alike.empty() ? "" : fmt::format(" (did you mean {}?)", fmt::join(alike, " or "));
}

/// What was left over: an unknown command, an unknown option, or one word too many.
std::string words_for_extras(const CLI::App& app, const std::vector<std::string>& extras) {
  const CLI::App* command = chosen(app);
  const auto flag = std::ranges::find_if(extras, looks_like_option);
  std::string odd = extras.empty() ? "" : flag == extras.end() ? extras[0] : *flag;
  if (const auto equals = odd.find('='); odd.starts_with("--") && equals != std::string::npos) odd.resize(equals);
  const std::vector<std::string> options = options_of(command ? *command : app);
  if (command && std::ranges::find(options, odd) != options.end())
    return fmt::format("'{}' is an option of '{}'. Write it behind the command.", odd, command->get_name());
  const std::string inverse = instead_of_temperature(odd, options);
  if (command && !inverse.empty()) return fmt::format("{}: unknown option '{}'{}.", command->get_name(), odd, inverse);
  const auto takes = [&](const char* option) { return std::ranges::find(options, option) != options.end(); };
  if (command && command->get_name() == "resume" && odd == "--set") return settings_of_a_run(*command, extras);
  std::string meant = meant_by(odd, options);
  if (meant.empty() && odd.starts_with("--") && takes("--set"))
    meant = " (settings are given as --set SECTION.KEY=VALUE)";
  if (looks_like_option(odd))
    return command ? fmt::format("{}: unknown option '{}'{}.", command->get_name(), odd, meant)
                   : fmt::format("unknown option '{}'{} (the command comes first).", odd, meant);
  if (command) {
    for (const std::string& other : {curves_of_several(*command, extras), file_for_energies(*command)})
      if (!other.empty()) return fmt::format("{}: '{}' is one word too many{}.", command->get_name(), odd, other);
    const bool of_list = takes("--betas") && odd.find_first_not_of("0123456789.,") == std::string::npos;
    return fmt::format("{}: '{}' is one word too many{}.", command->get_name(), odd,
                       of_list           ? " (a list has no blanks, as in --betas 0.2,0.4)"
                       : takes("--data") ? " (data is given as --data FILE)"
                                         : "");
  }
  return unknown_command(app, odd);
}

}  // namespace

std::string unknown_command(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> commands = commands_of(app);
  std::string meant = did_you_mean(word, commands);
  if (meant.empty()) meant = begun_alike(word, commands);
  return fmt::format("there is no command '{}'{}. Commands: {}.", word, meant, fmt::join(commands, ", "));
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string) const {
  std::string usage = "harmonium COMMAND [OPTIONS]";
  if (app->get_parent()) {
    usage = "harmonium " + app->get_name();
    for (const CLI::Option* option : app->get_options()) {
      const bool repeated = option->get_type_name().ends_with("...");  // RUN...
      if (option->get_expected_max() > 1 && !option->nonpositional() && !repeated) usage += " [KIND]";
      const std::string name = repeated ? option->get_type_name() : option->get_name(true);
      if (!option->nonpositional()) usage += option->get_required() ? " " + name : " [" + name + "]";
      else if (option->get_required()) usage += fmt::format(" {} {}", option->get_name(), option->get_type_name());
    }
    usage += " [OPTIONS]";
  }
  return fmt::format("\nUsage: {}\n", usage);
}

std::string HelpFormatter::make_group(std::string group, bool is_positional,
                                      std::vector<const CLI::Option*> options) const {
  return group == hidden_group ? "" : CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  return option->get_type_name().empty() || !option->nonpositional() ? "" : " " + option->get_type_name();
}

std::string HelpFormatter::make_option_usage(const CLI::Option* option) const { return option->get_name(true); }

std::string text_of(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = chosen(app);
  const std::string name = command ? command->get_name() : "";
  const std::string said = error.what();
  const std::string option = said.substr(0, said.find(": "));
  std::string text;
  const bool mismatch = dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
  const bool required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const std::vector<std::string> extras = app.remaining(true);
  // What is missing may be what was given by another name.
  if (dynamic_cast<const CLI::ExtrasError*>(&error) || (required && std::ranges::any_of(extras, looks_like_option)))
    text = words_for_extras(app, extras);
  else if (required && command) text = fmt::format("{}: {} is missing.", name, said.substr(0, said.find(' ')));
  else if (mismatch && said.find("At Most") != std::string::npos) text = option + ": it may be given once only.";
  else if (mismatch) text = option + ": its value is missing.";
  else if (dynamic_cast<const CLI::ConversionError*>(&error) && said.find(": --energies = ") != std::string::npos)
    text = fmt::format("{}: {}.", name, place_of_energies(""));
  else text = said;
  return fmt::format("{} See 'harmonium {}--help'.", text, command ? name + " " : "");
}

CLI::Validator whole_number(std::uint64_t min, std::uint64_t max) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        std::uint64_t value = 0;
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (failed == std::errc{} && end == text.data() + text.size() && value >= min && value <= max) return {};
        const bool open = max == std::numeric_limits<std::int64_t>::max();
        return fmt::format(
            "'{}' is not allowed: it must be a whole number {}.", text,
            open ? fmt::format("of at least {}, below 2^63", min) : fmt::format("from {} to {}", min, max));
      },
      "");
}

CLI::Validator positive_number(double most) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        double value = 0.0;
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (failed == std::errc{} && end == text.data() + text.size() && value > 0.0 && value <= most) return {};
        return fmt::format("'{}' is not allowed: it must be a finite number above 0{}.", text,
                           most < 1e300 ? fmt::format(", at most {:.0f}", most) : "");
      },
      "");
}

CLI::Validator number_from_zero() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        double value = 0.0;
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (failed == std::errc{} && end == text.data() + text.size() && value >= 0.0 && std::isfinite(value))
          return {};
        return fmt::format("'{}' is not allowed: it must be a finite number, 0 or more.", text);
      },
      "");
}

CLI::Validator not_empty() {
  return CLI::Validator([](std::string& text) { return std::string(text.empty() ? "the name is empty." : ""); }, "");
}

}  // namespace v1
}  // namespace harmonium
