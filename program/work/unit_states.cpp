#include <harmonium/program/work/unit_states.hpp>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/columns_by_name.hpp>
#include <harmonium/program/work/table_samples.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

void append_units(const Layout& layout, LayerSet layers, Index first_column, std::vector<UnitOfRow>& units) {
  const PerLayer<Index> first = layout.first_columns(layers);
  for (const LayerId l : layout.ids(layers)) {
    const Index width = layout[l].unit->width();
    for (Index u = 0; u < layout[l].size; ++u)
      units.push_back({first_column + first[l] + u * width, width, layout[l].name == label_layer});
  }
}

}  // namespace

Real UnitOfRow::state(std::span<const Real> row) const {
  const Real* const unit = row.data() + first_column;
  return width == 1 ? *unit : static_cast<Real>(std::max_element(unit, unit + width) - unit);
}

std::vector<UnitOfRow> observed_units(const Layout& layout) {
  std::vector<UnitOfRow> units;
  append_units(layout, layout.observed(), 0, units);
  return units;
}

std::vector<UnitOfRow> units_observed_first(const Layout& layout) {
  std::vector<UnitOfRow> units = observed_units(layout);
  append_units(layout, layout.latent(), layout.columns(layout.observed()), units);
  return units;
}

bool have_byte_states(const std::vector<UnitOfRow>& units) {
  constexpr Index most_bytes = 256;
  return std::ranges::all_of(units, [](const UnitOfRow& u) { return u.width > 1 && u.width <= most_bytes; });
}

std::vector<std::string> state_fields(const std::vector<UnitOfRow>& units, std::span<const Real> row,
                                      const std::vector<std::string>& class_words) {
  std::vector<std::string> fields;
  for (const UnitOfRow& unit : units) {
    const Real state = unit.state(row);
    const bool named = unit.of_class && static_cast<Index>(state) < class_words.size();
    fields.push_back(named ? class_words[static_cast<Index>(state)] : fmt::format("{}", state));
  }
  return fields;
}

std::vector<std::string> names_of_state_columns(const ModelHeader& header, const Layout& layout) {
  std::vector<std::string> names = site_column_names(header, layout);
  const std::vector<UnitOfRow> units = observed_units(layout);
  const auto label = std::ranges::find_if(units, &UnitOfRow::of_class);
  if (label != units.end()) names.insert(names.begin() + (label - units.begin()), label_column_name(header));
  return names;
}

void check_states(const ModelHeader& header, const Layout& layout, LayerSet layers, const std::string& output,
                  const char* option) {
  const std::string extension = std::filesystem::path(output).extension().string();
  if (is_table(header))
    throw ConfigError("--states: the model was trained on a table, and .csv has its levels. Leave --states out.");
  if (extension != ".npy" && extension != ".csv")
    throw ConfigError(fmt::format(
        "--states: states are written as .npy or .csv, and {} is {}. Give a name that ends so.", option, output));
  bool any = false;
  for (const LayerId l : layout.ids(layers)) {
    const UnitType& unit = *layout[l].unit;
    if (unit.width() == 1) continue;
    if (unit.width() != unit.num_states())
      throw ConfigError(
          fmt::format("--states: the columns of a {} unit of layer '{}' are not one for each state. Leave it out.",
                      unit.name(), layout[l].name));
    any |= layout[l].name != label_layer;
  }
  if (!any)
    throw ConfigError(fmt::format(
        "--states: no {}unit has a column for each of several states, as \"categorical\" ones have, so that columns "
        "are what they are. Leave it out.",
        layers == layout.observed() ? "observed " : ""));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
