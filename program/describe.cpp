#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/components.hpp>
#include <harmonium/program/precision.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

std::string option_text(const OptionInfo& o) {
  return fmt::format("    {:<22}{}{}{}\n{}", o.name.size() < 22 ? o.name : o.name + "  ", o.type,
                     o.limit.empty() ? "" : ", " + o.limit, o.fallback.empty() ? "" : "; default " + o.fallback,
                     wrapped(o.help, 28, 110));
}

/// Who has an option of this name, and what it is there; empty where nobody has.
std::string option_of_all(const std::vector<ComponentDescription>& all, const std::string& kind,
                          const std::string& name) {
  std::vector<std::pair<std::string, std::vector<std::string>>> meanings;  // a description, and those whose it is
  for (const ComponentDescription& c : all) {
    if (!kind.empty() && c.kind != kind) continue;
    const auto own = std::ranges::find(c.options, name, &OptionInfo::name);
    if (own == c.options.end()) continue;
    const std::string text = option_text(*own);
    auto found = std::ranges::find(meanings, text, [](const auto& m) { return m.first; });
    if (found == meanings.end()) found = meanings.insert(found, {text, {}});
    found->second.push_back(fmt::format("{} '{}'", c.kind, c.name));
  }
  std::string text;
  for (const auto& [meaning, owners] : meanings)
    text += fmt::format("{}{}{}", text.empty() ? "" : "\n",
                        wrapped(fmt::format("an option of {}", fmt::join(owners, ", ")), 0, 110), meaning);
  return text;
}

bool is_found_by_name(const PluginListing& plugin) {
  const std::string file = std::filesystem::path(plugin.path).stem().string();
  return file == plugin.name || file == plugin.name + "_f32";
}

/// Where a plugin has it that is found and was not loaded, what to type; else empty.
std::string words_of_plugin(const std::string& kind, const std::string& name) {
  for (const Precision precision : {Precision::float64, Precision::float32})
    for (const PluginListing& plugin : program(precision).plugins({}))
      for (const ComponentDescription& c : plugin.components)
        if (c.name == name && (kind.empty() || c.kind == kind) && is_found_by_name(plugin))
          return fmt::format(
              "{0} '{1}' is of the plugin '{2}', which is not loaded. Type 'harmonium describe {0} {1} --plugin {2}'.",
              c.kind, name, plugin.name);
  return "";
}

std::string describe_text(const std::vector<ComponentDescription>& all, const std::string& kind,
                          const std::string& name) {
  std::vector<std::string> names;
  std::string text;
  for (const ComponentDescription& c : all) {
    if (!kind.empty() && c.kind != kind) continue;
    names.push_back(c.name);
    for (const OptionInfo& o : c.options)
      if (std::ranges::find(names, o.name) == names.end()) names.push_back(o.name);
    if (c.name != name) continue;
    text += fmt::format("{}{} '{}' ({})\n  {}\n", text.empty() ? "" : "\n", c.kind, c.name, c.origin, c.summary);
    if (c.options.empty()) text += "\n  It takes no options.\n";
    else text += "\n  options:\n";
    for (const OptionInfo& o : c.options) text += option_text(o);
    if (c.stands_for) text += c.stands_for();
  }
  if (text.empty()) text = option_of_all(all, kind, name);
  if (!text.empty()) return text;
  if (const std::string words = words_of_plugin(kind, name); !words.empty()) throw ConfigError(words);
  throw ConfigError(fmt::format("there is no {} called '{}'{}. See 'harmonium list{}'.",
                                kind.empty() ? "component or option" : kind, name, did_you_mean(name, names),
                                kind.empty() ? "" : " " + kind));
}

/// What there is of a kind, and whose option the kind is.
std::string describe_kind(const std::vector<ComponentDescription>& all, const std::string& kind) {
  const std::string options = option_of_all(all, "", kind);
  return fmt::format("{}\n'harmonium describe {} NAME' tells the options of one of them.\n{}{}",
                     components_text(all, kind), kind, options.empty() ? "" : "\n", options);
}

bool names_component(const std::vector<ComponentDescription>& all, const std::string& name) {
  return std::ranges::find(all, name, &ComponentDescription::name) != all.end();
}

class Describe final : public Command {
 public:
  Describe()
      : Command("describe", "The options of a component: describe [KIND] NAME",
                "NAME may be 'training' or 'pictures' too, the tables of a configuration that are no components, or an "
                "option, of\n"
                "which everything that has it is told. A kind alone, such as 'sampler', lists what there is of it.",
                {"harmonium describe sampler gibbs", "harmonium describe gibbs_steps"}) {}

  void declare(CLI::App& command) override {
    command.add_option("NAME", words_, "Its name, as 'harmonium list' gives it; its kind, where needed, in front")
        ->type_name("NAME")
        ->required()
        ->expected(1, 1000);
    add_plugins(command, plugins_);
  }
  void settle() override {
    if (words_.size() > 2)
      throw ConfigError("describe: it takes a name, or a kind and a name. See 'harmonium describe --help'.");
  }
  bool writes_files() const override { return false; }
  int run(Terminal&) override {
    std::vector<ComponentDescription> all = components(plugins_);
    std::ranges::move(program(Precision::float64).sections(), std::back_inserter(all));
    const std::string& name = words_.back();
    const std::string whole_kind = words_.size() == 1 && !names_component(all, name) ? kind_named(all, name) : "";
    write_out(whole_kind.empty() ? describe_text(all, checked_kind(all, words_.size() == 2 ? words_[0] : ""), name)
                                 : describe_kind(all, whole_kind));
    return 0;
  }

 private:
  std::vector<std::string> words_, plugins_;
};

}  // namespace

std::unique_ptr<Command> describe_command() { return std::make_unique<Describe>(); }

}  // namespace v1
}  // namespace harmonium
