#include <harmonium/plugins/builtin/model_files.hpp>

#include <type_traits>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/plugin/loader.hpp>
#include <harmonium/framework/run/model_file.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr bool single = std::is_same_v<Real, float>;

}  // namespace

void save(const EnergyModel& model, const std::filesystem::path& path) {
  Value table = model.configuration();
  if (table.is_empty())
    throw CapabilityError(
        "save: the model says no configuration that would make it again. Override "
        "EnergyModel::configuration, or write it with write_model and a configuration of your own.");
  Value config = make_table({{"precision", make_value(single ? "float32" : "float64")}});
  config.set("model", std::move(table));
  write_model(path, model, config);
}

std::unique_ptr<EnergyModel> load(const std::filesystem::path& path, const Registries& registries) {
  const ModelHeader header = read_model_header(path);
  if (single && header.precision != "float32")
    throw ConfigError(path.string() +
                      ": it is of precision float64, and this is the library of float32. Link "
                      "harmonium::harmonium in place of harmonium::harmonium_f32.");
  Registries all = registries;
  load_plugins({}, header.config.find("plugins"), all);
  return load_model(path, header, all);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
