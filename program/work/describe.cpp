#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/run/run_pictures.hpp>
#include <harmonium/framework/training/trainer.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/preset_text.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::vector<ComponentDescription> list_components(const std::vector<std::string>& plugins,
                                                  const Registries& registries) {
  CommonRequest request;
  request.plugins = plugins;
  std::vector<ComponentDescription> all;
  const auto own = std::make_shared<const Registries>(with_plugins(registries, request, Value{}));
  for (const ComponentInfo& c : own->components()) {
    all.push_back({c.kind, c.name, c.summary, c.origin, c.options, {}});
    if (is_model_preset(c)) all.back().stands_for = [c, own] { return preset_text(c, *own); };
  }
  return all;
}

std::vector<ComponentDescription> list_sections() {
  const auto options_of = [](auto options) {
    return describe_options([&](OptionBinder& binder) { options.bind(binder); });
  };
  return {{"section",
           "training",
           "how long, in what batches, and what is measured and kept on the way",
           "of every configuration",
           options_of(TrainingOptions()),
           {}},
          {"section",
           "pictures",
           "what a run draws of itself, and how often",
           "of every configuration",
           options_of(RunPictureOptions()),
           {}}};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
