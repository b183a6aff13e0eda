#include <harmonium/program/work/clamp.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/parsed_number.hpp>
#include <harmonium/framework/training/fitted_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::string file_of_clamp(const std::string& text) {
  std::error_code error;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos && std::filesystem::exists(text, error)) return text;
  for (std::size_t colon = text.find(':'); colon < std::min(equals, text.size()); colon = text.find(':', colon + 1))
    if (std::string file = text.substr(0, colon); std::filesystem::is_regular_file(file, error)) return file;
  return equals == std::string::npos ? text : "";
}

Clamp::Clamp(const std::vector<ClampEntry>& entries, const Layout& layout, const DataUnits* units, const Reader& read)
    : layout_(&layout) {
  for (const ClampEntry& entry : entries) {
    const std::string& text = entry.text;
    if (text.empty())
      throw ConfigError(
          "--clamp '': nothing is named. Write LAYER=VALUE, LAYER[UNIT]=VALUE, LAYER[BEGIN:END]=VALUE, LAYER=each or "
          "the "
          "name of a file of rows.");
    if (file_of_clamp(text).empty()) {
      Fixed fixed = parse(entry, units);
      (fixed.free ? left_free_ : fixed_).push_back(std::move(fixed));
      continue;
    }
    if (rows_) throw ConfigError(fmt::format("--clamp {}: a file of rows is given already. Give one.", text));
    rows_ = read(text);
    file_ = entry.given;
  }
  if (!rows_ && !left_free_.empty())
    throw ConfigError(
        "--clamp LAYER=free: it draws units that a file of rows holds, and no file is given. Leave it out.");
  check_given_once();
  check_beside_rows();
}

Clamp::Fixed Clamp::parse(const ClampEntry& entry, const DataUnits* data_units) const {
  const auto refuse = [&](const std::string& why) {
    throw ConfigError(fmt::format("--clamp {}: {}", entry.given, why));
  };
  const std::string& text = entry.text;
  const std::size_t equals = text.find('=');
  Fixed fixed = parse_units(text.substr(0, equals), refuse);
  fixed.entry = entry;
  const std::string given = text.substr(equals + 1);
  if (given == "each") {
    hold_each(fixed, refuse);
    return fixed;
  }
  if (given == "free") {
    if ((*layout_)[fixed.layer].role == Role::latent)
      refuse("no file holds latent units, which are drawn where no value is given. Leave it out.");
    fixed.free = true;
    return fixed;
  }
  const auto value = parsed_number<double>(given);
  if (!value || !std::isfinite(*value)) {
    const bool several = given.find(',') != std::string::npos;
    refuse(fmt::format(
        "'{}' is no number.{}", given,
        several ? " To hold several units write LAYER[UNIT]=VALUE,LAYER[UNIT]=VALUE, or --clamp twice." : ""));
  }
  if ((*layout_)[fixed.layer].unit->width() > 1) hold_state(fixed, *value, refuse);
  else hold_value(fixed, *value, data_units, refuse);
  return fixed;
}

/// In every state, in the order of the unit's domain.
void Clamp::hold_each(Fixed& fixed, const Refuse& refuse) const {
  const Layer& layer = (*layout_)[fixed.layer];
  const UnitType& unit = *layer.unit;
  const Index width = unit.width();
  fixed.states = unit.num_states();
  if (fixed.states == 0)
    refuse(fmt::format("a {} unit of layer '{}' has no states to go through. Give a number.", unit.name(), layer.name));
  if (states() > 0) refuse("other units go through their states already. Give one of them a value.");
  std::vector<Real> all(fixed.states * width);
  unit.states({all.data(), fixed.states, width, width});
  for (auto state = all.begin(); state != all.end(); state += static_cast<std::ptrdiff_t>(width))
    for (Index u = fixed.begin; u < fixed.end; ++u)
      fixed.values.insert(fixed.values.end(), state, state + static_cast<std::ptrdiff_t>(width));
}

Index Clamp::states() const {
  const auto found = std::ranges::find_if(fixed_, [](const Fixed& fixed) { return fixed.states > 0; });
  return found == fixed_.end() ? 0 : found->states;
}

/// LAYER, LAYER[UNIT] or LAYER[BEGIN:END].
Clamp::Fixed Clamp::parse_units(std::string name, const Refuse& refuse) const {
  std::string units;
  if (const std::size_t open = name.find('['); open != std::string::npos) {
    if (name.back() != ']') refuse("write LAYER[UNIT]=VALUE or LAYER[BEGIN:END]=VALUE.");
    units = name.substr(open + 1, name.size() - open - 2);
    name.resize(open);
    if (units.empty()) refuse("the list of units is empty. Write LAYER[UNIT]=VALUE, or LAYER=VALUE for all of them.");
  }
  std::vector<std::string> names;
  for (const Layer& l : layout_->layers()) names.push_back(l.name);
  if (std::ranges::find(names, name) == names.end())
    refuse(fmt::format("the model has no layer '{}'{}. Its layers: {}.", name, did_you_mean(name, names),
                       fmt::join(names, ", ")));
  Fixed fixed{layout_->find(name), 0, 0, {}, 0};
  const Layer& layer = (*layout_)[fixed.layer];
  fixed.end = layer.size;
  if (!units.empty()) {
    const std::size_t colon = units.find(':');
    const auto first = parsed_number<Index>(std::string_view(units).substr(0, colon));
    const auto last =
        colon == std::string::npos ? first : parsed_number<Index>(std::string_view(units).substr(colon + 1));
    if (!first || !last) refuse("units are whole numbers from 0: LAYER[UNIT]=VALUE or LAYER[BEGIN:END]=VALUE.");
    fixed.begin = *first;
    fixed.end = colon == std::string::npos ? *first + 1 : *last;
    if (fixed.begin >= fixed.end || fixed.end > layer.size)
      refuse(fmt::format("layer '{}' has the units 0 to {}.", name, layer.size - 1));
  }
  return fixed;
}

/// Of units of several columns, by the number of the state.
void Clamp::hold_state(Fixed& fixed, double value, const Refuse& refuse) const {
  const Layer& layer = (*layout_)[fixed.layer];
  const UnitType& unit = *layer.unit;
  const Index width = unit.width(), states = unit.num_states();
  if (value < 0 || value != std::floor(value) || value >= static_cast<double>(states))
    refuse(fmt::format("a {} unit of layer '{}' has the states 0 to {}.", unit.name(), layer.name, states - 1));
  std::vector<Real> all(states * width);
  unit.states({all.data(), states, width, width});
  const auto at = static_cast<std::ptrdiff_t>(static_cast<Index>(value) * width);
  for (Index u = fixed.begin; u < fixed.end; ++u)
    fixed.values.insert(fixed.values.end(), all.begin() + at, all.begin() + at + static_cast<std::ptrdiff_t>(width));
}

void Clamp::hold_value(Fixed& fixed, double value, const DataUnits* data_units, const Refuse& refuse) const {
  const Layer& layer = (*layout_)[fixed.layer];
  const UnitType& unit = *layer.unit;
  const Index states = unit.num_states();
  std::vector<Real> all(states);
  unit.states({all.data(), states, 1, 1});
  if (data_units && layer.role == Role::observed) fixed.given = value;
  Index first_column = 0;
  for (const LayerId l : layout_->ids())
    if (l < fixed.layer && (*layout_)[l].role == Role::observed) first_column += (*layout_)[l].columns();
  for (Index u = fixed.begin; u < fixed.end; ++u) {
    double own = value;
    try {
      if (data_units && layer.role == Role::observed) own = data_units->of_column(first_column + u, own);
    } catch (const ConfigError& error) {
      refuse(error.what());
    }
    const auto x = static_cast<Real>(own);
    if (states > 0 && std::ranges::find(all, x) == all.end())
      refuse(fmt::format("a {} unit of layer '{}' is one of {}.", unit.name(), layer.name, fmt::join(all, ", ")));
    if (own < unit.min() || own > unit.max())
      refuse(fmt::format("a {} unit of layer '{}' takes values {}.", unit.name(), layer.name, unit.domain()));
    fixed.values.push_back(x);
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
