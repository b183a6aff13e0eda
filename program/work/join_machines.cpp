#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/program/work/commands.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// What the model file of the lowest machine says of its data holds of the stack.
struct Origin {
  Origin(const std::string& path, const ModelHeader& header, const EnergyModel& model, const Registries& registries)
      : shape(header.sample_shape), transform(load_transform(path)) {
    const DataSplits splits = load_own_splits(path, header.config, model.layout(), registries);
    of.files = splits.train.files();
    for (const auto* part : {&splits.validation, &splits.test}) {
      if (!*part) continue;
      for (const DataFile& file : (*part)->files())
        if (std::ranges::none_of(of.files, [&](const DataFile& f) { return f.path == file.path; }))
          of.files.push_back(file);
    }
    of.sample_shape = shape;
    of.transform = transform.get();
    of.names = {header.column_names, header.label_name};
    for (const LoadedPlugin& plugin : registries.plugins())
      of.plugins += fmt::format("{}{} {}", of.plugins.empty() ? "" : ", ", plugin.name, plugin.version);
  }

  std::vector<Index> shape;
  std::shared_ptr<const Transform> transform;
  ModelOrigin of;
};

}  // namespace

void check_machines(const Value& tables, const JoinRequest& request, const Registries& builtin) {
  const Registries registries = with_plugins(builtin, request, make_table());
  Value effective;
  registries.make<EnergyModel>(make_table({{"type", make_value("stack")}, {"machines", tables}}), effective);
}

void join_machines(const JoinRequest& request, const Registries& builtin) {
  const ModelHeader lowest = read_model_header(request.models.front());
  const Registries registries = with_plugins(builtin, request, lowest);
  Value tables;
  tables.data = Value::List{};
  std::vector<std::unique_ptr<EnergyModel>> machines;
  for (const std::string& path : request.models) {
    const ModelHeader header = read_model_header(path);
    machines.push_back(load_model(path, header, registries));
    std::get<Value::List>(tables.data).push_back(*header.config.find("model"));
  }
  Value config, effective;
  for (const char* key : {"seed", "precision", "plugins", "data"})
    if (const Value* value = lowest.config.find(key)) config.set(key, *value);
  const auto stack = registries.make<EnergyModel>(
      make_table({{"type", make_value("stack")}, {"machines", std::move(tables)}}), effective);
  config.set("model", std::move(effective));
  stack->update_parameters([&](std::span<Real> theta) {
    auto to = theta.begin();
    for (const auto& machine : machines) to = std::ranges::copy(machine->parameters(), to).out;
  });
  const Origin origin(request.models.front(), lowest, *machines.front(), registries);
  save_model(request.output, *stack, config, registries, origin.of);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
