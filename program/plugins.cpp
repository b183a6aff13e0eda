#include <algorithm>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/precision.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* plugins_more =
    "Looks in the folders of HARMONIUM_PLUGIN_PATH (separated by colons), then in lib/harmonium/plugins of the\n"
    "installation. What cannot be loaded is listed with the reason.";

bool share_name_and_folder(const PluginListing& a, const PluginListing& b) {
  return a.failure.empty() && b.failure.empty() && a.name == b.name &&
         std::filesystem::path(a.path).parent_path() == std::filesystem::path(b.path).parent_path();
}

/// Pairs of files in one folder of which no run can load both.
std::string clashes_text(const std::vector<PluginListing>& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      if (!share_name_and_folder(all[i], all[k]) || all[i].real_bits != all[k].real_bits) continue;
      text += fmt::format(
          "one name: {} and {} both hold a plugin called '{}', and a configuration finds {}{}.so alone. Leave one out, "
          "or "
          "build it under another name.\n",
          all[i].path, all[k].path, all[i].name, all[i].name, all[i].real_bits == 32 ? "_f32" : "");
    }
  }
  return text;
}

/// Files that no configuration finds by name, as an earlier folder holds a file of the same name.
std::string hidden_text(const std::vector<PluginListing>& all) {
  const auto file_name = [](const PluginListing& p) { return std::filesystem::path(p.path).filename(); };
  std::string text;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto later = all.begin() + static_cast<std::ptrdiff_t>(k);
    const auto first = std::find_if(
        all.begin(), later, [&](const PluginListing& p) { return !p.given && file_name(p) == file_name(*later); });
    if (first == later || later->given) continue;
    text += fmt::format(
        "one name: {} is never found by its name, as {} is in an earlier folder. Leave one out, or give it as a "
        "file.\n",
        later->path, first->path);
  }
  return text;
}

/// The plugins of all precisions, those that were not loaded last.
std::string plugins_text(const std::vector<PluginListing>& all) {
  const auto same = [](const PluginListing& a, const PluginListing& b) {
    return share_name_and_folder(a, b) && a.version == b.version && a.summary == b.summary &&
           std::ranges::equal(a.components, b.components,
                              [](const auto& x, const auto& y) { return x.kind == y.kind && x.name == y.name; });
  };
  std::string text, failures;
  std::vector<bool> told(all.size(), false);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const PluginListing& p = all[i];
    if (!p.failure.empty()) failures += fmt::format("not loaded: {}\n", printable(p.failure));
    if (!p.failure.empty() || told[i]) continue;
    std::string files;
    for (std::size_t k = i; k < all.size(); ++k) {
      if (told[k] || !same(p, all[k])) continue;
      told[k] = true;
      files += fmt::format("  float{}: {}\n", all[k].real_bits, all[k].path);
    }
    text += fmt::format("{}{} {}: {}\n{}", text.empty() ? "" : "\n", p.name, p.version, p.summary, files);
    for (const ComponentDescription& c : p.components)
      text += fmt::format("  {:<14}{:<24}{}\n", c.kind, c.name, c.summary);
    if (p.components.empty()) text += "  It provides nothing.\n";
  }
  const std::string faults = clashes_text(all) + hidden_text(all) + failures;
  return text + (text.empty() || faults.empty() ? "" : "\n") + faults;
}

class Plugins final : public Command {
 public:
  Plugins()
      : Command("plugins", "The plugins that are found, and what each provides", plugins_more,
                {"harmonium plugins", "HARMONIUM_PLUGIN_PATH=build harmonium plugins"}) {}

  void declare(CLI::App& command) override {
    command
        .add_option("--plugin", plugins_, "List this file too (as often as needed); what fails of these is an error")
        ->type_name("FILE")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false)
        ->check(not_empty());
  }
  bool writes_files() const override { return false; }
  int run(Terminal&) override {
    std::vector<PluginListing> all = program(Precision::float64).plugins(plugins_);
    std::ranges::move(program(Precision::float32).plugins(plugins_), std::back_inserter(all));
    write_out(all.empty() ? std::string("no plugins are found: see 'harmonium plugins --help'\n") : plugins_text(all));
    const bool failed = std::ranges::any_of(
        all, [](const PluginListing& listing) { return listing.given && !listing.failure.empty(); });
    return failed ? 1 : 0;
  }

 private:
  std::vector<std::string> plugins_;
};

}  // namespace

std::unique_ptr<Command> plugins_command() { return std::make_unique<Plugins>(); }

}  // namespace v1
}  // namespace harmonium
