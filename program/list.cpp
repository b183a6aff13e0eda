#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/components.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

class List final : public Command {
 public:
  List()
      : Command("list", "What a configuration can name: all components, or those of a kind", "",
                {"harmonium list", "harmonium list sampler"}) {}

  void declare(CLI::App& command) override {
    command.add_option("KIND", kind_, "Such as model, sampler, estimator or data")->type_name("KIND");
    add_plugins(command, plugins_);
  }
  bool writes_files() const override { return false; }
  int run(Terminal&) override {
    const std::vector<ComponentDescription> all = components(plugins_);
    write_out(components_text(all, checked_kind(all, kind_)));
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
