#include <harmonium/cli/parser.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/cli/help.hpp>
#include <harmonium/cli/options.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/version.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* overview =
    "Harmonium: define, train, sample and judge energy-based models, p(x) = exp(-E(x)) / Z.";

constexpr const char* first_steps =
    "First steps:\n"
    "  harmonium init data.csv --output first.toml       writes a configuration for a data file\n"
    "  harmonium explain first.toml                      what it means, and how long its run will take\n"
    "  harmonium train first.toml --output run           writes run/model.h5\n"
    "  harmonium evaluate run                            how likely the data are under the model\n"
    "  harmonium sample run --num-samples 100 --steps 1000 --output samples.npy\n"
    "  harmonium draw run --what filters --output f.png  what its hidden units look for\n"
    "  harmonium list                                    what a configuration can name\n"
    "  harmonium describe estimator pcd                  the options of one of these\n"
    "  harmonium plugins                                 what plugins add to them\n\n"
    "'harmonium help COMMAND' tells what a command takes. Results go to standard output, all else to standard "
    "error.\n"
    "Exit status: 0 done; 2 a mistake in the command line or the configuration; 1 a failure at run time.";

/// The command that was given. `declared` are those of the parser, in the order of `commands`.
Command* chosen(const Commands& commands, const std::vector<CLI::App*>& declared) {
  std::string names;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (declared[i]->parsed()) return commands[i].get();
    names += fmt::format("{}{}", i > 0 ? ", " : "", commands[i]->name());
  }
  throw ConfigError(fmt::format("no command is given. Commands: {}. See 'harmonium --help'.", names));
}

/// 'harmonium help COMMAND' as 'harmonium COMMAND --help', and 'harmonium help' as 'harmonium --help'.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  return words;
}

/// What stands at the end of a command's help.
std::string ending_of(const Command& command) {
  std::string text = command.more();
  if (command.examples().empty()) return text;
  text += text.empty() ? "Examples:" : "\n\nExamples:";
  for (const char* example : command.examples()) text += fmt::format("\n  {}", example);
  return text;
}

}  // namespace

Command* read_command_line(const Commands& commands, int argc, char** argv, std::string& answer) {
  CLI::App app{overview, "harmonium"};
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(0, 1);
  app.footer(first_steps);
  std::vector<CLI::App*> declared;
  int no_threads = 0;
  for (const auto& command : commands) {
    CLI::App* own = app.add_subcommand(command->name(), command->summary());
    own->footer(ending_of(*command));
    command->declare(*own);
    // Scripts give it to every command. Where nothing is computed with threads it changes nothing, and help leaves it out.
    if (!own->get_option_no_throw("--threads")) add_threads(*own, no_threads)->group(hidden_group);
    declared.push_back(own);
  }
  // After the commands, which would inherit it.
  app.set_version_flag("--version", fmt::format("harmonium {} ({})", version(), revision()),
                       "Print the version and exit");

  try {
    std::vector<std::string> words = words_of(argc, argv);
    // CLI11 would answer a wish for help with an unknown command by the help of the whole.
    if (!words.empty() && !words[0].starts_with("-") &&
        std::ranges::none_of(commands, [&](const auto& c) { return words[0] == c->name(); }))
      throw ConfigError(unknown_command(app, words[0]) + " See 'harmonium --help'.");
    std::ranges::reverse(words);  // as CLI11 takes them
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    const auto asked = app.get_subcommands();
    answer = asked.empty() ? app.help() : asked[0]->help();
    for (std::size_t at = 0; (at = answer.find("\n\n\n", at)) != std::string::npos;) answer.erase(at, 1);
    return nullptr;
  } catch (const CLI::CallForVersion& e) {
    answer = fmt::format("{}\n", e.what());
    return nullptr;
  } catch (const CLI::ParseError& e) {
    throw ConfigError(text_of(app, e));
  }
  Command* command = chosen(commands, declared);
  command->settle();
  return command;
}

}  // namespace v1
}  // namespace harmonium
