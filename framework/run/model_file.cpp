#include <harmonium/framework/run/model_file.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/files/sample_shape.hpp>
#include <harmonium/framework/files/sha256.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/run/provenance.hpp>
#include <harmonium/framework/run/tensor_names.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr const char* data_attribute = "data_sha256";

std::string checksums_of(const std::vector<DataFile>& files) {
  std::string sums;
  for (const DataFile& f : files) sums += f.sha256 + "  " + f.path + "\n";
  return sums;
}

/// "visible: 4 binary, hidden: 3 binary; bias.visible (4), …": what a file's parameters must fit.
std::string anatomy(const EnergyModel& model) {
  std::string text;
  for (const Layer& layer : model.layout().layers())
    text += fmt::format("{}{}: {} {}{}", text.empty() ? "" : ", ", layer.name, layer.size, layer.unit->name(),
                        layer.unit->width() > 1 ? fmt::format(" of {} states", layer.unit->width()) : "");
  std::string tensors;
  for (const ParameterBlock& b : model.parameter_layout().blocks())
    tensors += fmt::format("{}{} {}", tensors.empty() ? "" : ", ", b.name, text_of(shape_of(b)));
  return text + "; " + tensors;
}

void check_made_from(const EnergyModel& model, const Value& config, const Registries& registries) {
  const Value* spec = config.find("model");
  if (!spec) throw ConfigError("save_model: the configuration has no table [model].");
  constexpr const char* own = sizeof(Real) == sizeof(float) ? "float32" : "float64";
  if (const std::string given = precision_of(config, "float32"); given != own)
    throw ConfigError(
        fmt::format("save_model: the configuration's precision is {}, and the model's {}. Set precision.", given, own));
  Value effective, bare = *spec;
  bare.erase("masks");  // the file has them
  const std::string made = anatomy(*registries.make<EnergyModel>(bare, effective)), is = anatomy(model);
  if (made != is)
    throw ConfigError(fmt::format(
        "save_model: the configuration makes another model than the one to be written. Its [model]: {}. The model: {}. "
        "Give the configuration that the model was made from.",
        made, is));
}

}  // namespace

void write_tensors(Hdf5File& file, const std::string& group, const ParameterLayout& layout,
                   std::span<const double> values) {
  file.create_group(group);
  for (const ParameterBlock& b : layout.blocks()) {
    const std::vector<Index> shape = shape_of(b);
    file.write<double>(group + "/" + b.name, values.subspan(b.offset, b.size()), shape);
  }
}

void save_model(const std::filesystem::path& path, const EnergyModel& model, const Value& config,
                const Registries& registries, const ModelOrigin& origin, const StateArchive::Fields* state) {
  check_made_from(model, config, registries);
  write_model(path, model, config, origin, state);
}

namespace {

void write_state(Hdf5File& file, const StateArchive::Fields& state) {
  file.create_group("state");
  for (const auto& entry : state)
    std::visit(
        [&](const auto& values) {
          if (!values.empty()) file.write("state/" + entry.first, values);
        },
        entry.second);
}

void write_kept(Hdf5File& file, const KeptParameters& kept) {
  file.write_attribute("best_metric", kept.metric);
  file.write_attribute("best_value", fmt::format("{:.17g}", kept.value));
  file.write_attribute("best_epoch", static_cast<std::int64_t>(kept.epoch));
  file.write_attribute("best_update", static_cast<std::int64_t>(kept.update));
}

/// `more`: what the file holds beside the model.
void write_file(const std::filesystem::path& path, const EnergyModel& model, std::span<const Real> theta,
                const Value& config, const ModelOrigin& origin, const FunctionRef<void(Hdf5File&)>& more) {
  {
    Hdf5File file = Hdf5File::create(path);  // appears whole, at close, or not at all
    file.write_attribute("format", "harmonium");
    const StackedMachines* stack = stacked_machines(model);
    file.write_attribute("format_version", stack && stack->untied() ? latest_format_version : model_format_version);
    file.write_attribute("config", write_toml(config));
    for (const auto& [name, value] : provenance()) file.write_attribute(name, value);
    if (!origin.plugins.empty()) file.write_attribute("plugins", origin.plugins);
    if (!origin.files.empty()) file.write_attribute(data_attribute, checksums_of(origin.files));
    if (origin.sample_shape.size() > 1)
      file.write_attribute(sample_shape_attribute, sample_shape_text(origin.sample_shape));
    if (!origin.names.columns.empty())
      file.write_attribute(column_names_attribute, fmt::format("{}\n", fmt::join(origin.names.columns, "\n")));
    if (!origin.names.label.empty()) file.write_attribute(label_name_attribute, origin.names.label);
    if (origin.updates) file.write_attribute(updates_attribute, static_cast<std::int64_t>(*origin.updates));
    const ParameterLayout& layout = model.parameter_layout();
    file.create_group("parameters");
    for (const ParameterBlock& b : layout.blocks()) {
      file.write<Real>("parameters/" + b.name, theta.subspan(b.offset, b.size()), shape_of(b));
      if (b.mask) file.write<std::uint8_t>("parameters/" + mask_of(b), *b.mask, shape_of(b));
    }
    if (origin.transform) write_transform(file, *origin.transform);
    more(file);
    std::error_code unwritable;  // an older file's checksum would refuse the new one, were the program killed between
    std::filesystem::remove(checksum_path(path), unwritable);
    file.close();
  }
  write_checksum(path);
}

}  // namespace

void write_model(const std::filesystem::path& path, const EnergyModel& model, const Value& config,
                 const ModelOrigin& origin, const StateArchive::Fields* state) {
  write_file(path, model, model.parameters(), config, origin, [&](Hdf5File& file) {
    if (state) write_state(file, *state);
  });
}

void write_model(const std::filesystem::path& path, const EnergyModel& model, const Value& config,
                 const ModelOrigin& origin, const KeptParameters& kept) {
  write_file(path, model, kept.theta, config, origin, [&](Hdf5File& file) { write_kept(file, kept); });
}

void check_same_data(const std::filesystem::path& path, const std::vector<DataFile>& files) {
  const Hdf5File file = Hdf5File::open(path);
  const std::string recorded = file.has_attribute(data_attribute) ? file.string_attribute(data_attribute) : "";
  for (const DataFile& f : files)
    if (recorded.find(checksums_of({f})) == std::string::npos)
      throw DataError(
          fmt::format("{}: the run began with other content of {} (its SHA-256 has changed). Put the old data "
                      "back, or start a new run.",
                      path.string(), f.path));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
