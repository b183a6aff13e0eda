#include <harmonium/framework/run/described_data.hpp>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/described_columns.hpp>
#include <harmonium/framework/run/sections.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/framework/training/state_columns.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

Value with_observed_layers(Value model, const DataSource& source, const Registries& registries) {
  constexpr const char* option = "observed_layers";  // a list: its items are described as "observed_layers[].name"
  const auto* described = dynamic_cast<const DescribesColumns*>(&source);
  const Value* type = model.find("type");
  const Value* own = model.find(option);
  const bool written_out = own && !(own->is_list() && std::get<Value::List>(own->data).empty());
  if (!described || written_out || !type || !type->is_string()) return model;
  const auto options = option_names(registries, "model", std::get<std::string>(type->data));
  if (options && std::ranges::any_of(*options, [&](const std::string& name) { return name.starts_with(option); }))
    model.set(option, described->observed_layers());
  return model;
}

namespace {

/// A unit that a source describes, and the first of its columns.
struct DescribedUnit {
  std::string type;
  Index column = 0;
};

/// The same of a model.
struct OwnUnit {
  const UnitType* type;
  Index column = 0;
};

std::vector<DescribedUnit> units_of(const Value& layers) {
  std::vector<DescribedUnit> all;
  Index column = 0;
  for (const Value& layer : std::get<Value::List>(layers.data)) {
    for (const char* key : {"name", "size", "units"})
      if (!layer.find(key)) return {};
    if (*layer.find("name") == make_value(std::string(label_layer))) continue;
    const Value& units = *layer.find("units");
    const Value& type = units.is_table() ? *units.find("type") : units;
    const Value* states = units.is_table() ? units.find("num_states") : nullptr;
    const auto width = static_cast<Index>(states ? states->number().value_or(1.0) : 1.0);
    const auto size = static_cast<Index>(layer.find("size")->number().value_or(1.0));
    for (Index u = 0; u < size; ++u, column += width) all.push_back({std::get<std::string>(type.data), column});
  }
  return all;
}

std::vector<OwnUnit> units_of(const Layout& layout) {
  std::vector<OwnUnit> all;
  Index column = 0;
  for (const LayerId l : layout.ids(layout.observed())) {
    const Layer& layer = layout[l];
    if (layer.name == label_layer) continue;
    for (Index u = 0; u < layer.size; ++u, column += layer.unit->width()) all.push_back({layer.unit.get(), column});
  }
  return all;
}

/// Whether units of the model serve for what a source takes a column for: real numbers may have other continuous units.
bool serve(const std::string& described, const UnitType& unit) {
  if (described == unit.name()) return true;
  return described == "gaussian" && unit.num_states() == 0 && unit.name() != "poisson";
}

/// A column that data.kinds says is another thing than the units that are written out for it.
void refuse_other_kinds(const Dataset& data, const DescribesColumns& source, const Layout& layout) {
  const std::vector<DescribedUnit> described = units_of(source.observed_layers());
  const std::vector<OwnUnit> own = units_of(layout);
  const std::vector<std::string> names = source.column_names().columns;
  for (Index u = 0; u < std::min(described.size(), own.size()); ++u) {
    if (described[u].column == own[u].column && serve(described[u].type, *own[u].type)) continue;
    const Index c = described[u].column;
    throw ConfigError(
        fmt::format("[data] {}: column {} takes {} units, and the model's observed_layers, which are written out, have "
                    "{} ones in its "
                    "place. Write the configuration again by 'harmonium init' with what is set of data, such as --set "
                    "data.kinds=..., "
                    "or take observed_layers out of [model], or set it to [] (--set 'model.observed_layers=[]'): they "
                    "are then those of "
                    "the data.",
                    data.name(), c < names.size() ? fmt::format("'{}'", names[c]) : std::to_string(c),
                    described[u].type, own[u].type->name()));
  }
}

}  // namespace

void refuse_other_layers(const Dataset& data, const DataSource& source, const Value* model, const Layout& layout) {
  const auto* described = dynamic_cast<const DescribesColumns*>(&source);
  if (!described || !model || !model->is_table() || !model->find("observed_layers")) return;
  const Index observed = layout.columns(layout.observed());
  const Index labels = label_columns(layout);
  if (data.cols() + labels == observed || data.cols() == observed) return refuse_other_kinds(data, *described, layout);
  throw ConfigError(fmt::format(
      "[data] {} has {} columns{}, but the model's observed_layers, which are written out, have {}. Write the "
      "configuration again by 'harmonium init' with what is set of data, such as --set data.label_column=NAME, or take "
      "observed_layers out of [model], or set it to [] (--set 'model.observed_layers=[]'): they are then those of the "
      "data.",
      data.name(), data.cols(), data.num_classes() > 0 ? " beside its labels" : "", observed - labels));
}

void refuse_energies(const Dataset& data, const CsvNames& names, const Layout& layout) {
  if (names.columns.size() < 2 || names.columns.back() != "energy") return;
  const Index observed = layout.columns(layout.observed()), columns = data.cols();
  const bool states = !widths_of_states(columns - 1, layout).empty();
  if (!states && columns != observed + 1 && columns + data.num_classes() != observed + 1) return;
  throw ConfigError(fmt::format(
      "[data] {}: its last column is called 'energy', as 'sample --energies' writes it, and the model has one observed "
      "column less. Leave it out: data.ignore = [\"energy\"], or name those that are meant in data.columns.",
      data.name()));
}

CsvNames names_of_columns(const DataSource& source, const Value& data) {
  if (const auto* described = dynamic_cast<const DescribesColumns*>(&source)) return described->column_names();
  if (!(*data.find("type") == make_value("csv"))) return {};
  CsvSource::Options options;
  read_options(data, "data 'csv'", options);
  return read_csv_names(options.path, options.format);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
