#include <algorithm>

#include <fmt/format.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/components.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

std::string list_text(const std::vector<ComponentDescription>& all, const std::string& kind) {
  check_kind(all, kind);
  std::string text, current;
  std::size_t width = 22;
  for (const ComponentDescription& c : all) width = std::max(width, c.name.size());
  for (const ComponentDescription& c : all) {
    if (!kind.empty() && c.kind != kind) continue;
    if (c.kind != current) text += fmt::format("{}{}\n", current.empty() ? "" : "\n", c.kind);
    current = c.kind;
    text += fmt::format("  {:<{}}  {}\n", c.name, width, c.summary);
  }
  return text;
}

class List final : public Command {
 public:
  List()
      : Command("list", "What a configuration can name: all components, or those of a kind", "",
                {"harmonium list", "harmonium list sampler"}) {}

  void declare(CLI::App& command) override {
    command.add_option("KIND", kind_, "Such as model, sampler, estimator or data")->type_name("KIND");
    add_plugins(command, plugins_);
  }
  int run(Terminal&) override {
    write_out(list_text(components(plugins_), kind_));
    return 0;
  }

 private:
  std::string kind_;
  std::vector<std::string> plugins_;
};

}  // namespace

std::unique_ptr<Command> list_command() { return std::make_unique<List>(); }

}  // namespace v1
}  // namespace harmonium
