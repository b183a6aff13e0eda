#include <harmonium/framework/run/described_data.hpp>

#include <algorithm>

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
  if (!described || model.find(option) || !type || !type->is_string()) return model;
  const auto options = option_names(registries, "model", std::get<std::string>(type->data));
  if (options && std::ranges::any_of(*options, [&](const std::string& name) { return name.starts_with(option); }))
    model.set(option, described->observed_layers());
  return model;
}

void refuse_other_layers(const Dataset& data, const DataSource& source, const Value* model, const Layout& layout) {
  if (!dynamic_cast<const DescribesColumns*>(&source) || !model || !model->is_table() ||
      !model->find("observed_layers"))
    return;
  const Index observed = layout.columns(layout.observed());
  const Index labels = label_columns(layout);
  if (data.cols() + labels == observed || data.cols() == observed) return;
  throw ConfigError(fmt::format(
      "[data] {} has {} columns{}, but the model's observed_layers, which are written out, have {}. Write the "
      "configuration again by 'harmonium init' with what is set of data, such as --set data.label_column=NAME, or take "
      "observed_layers out of [model]: they are then those of the data.",
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
