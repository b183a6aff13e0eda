#include <harmonium/framework/run/sizes_of_data.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/config/spelled_out.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/survey.hpp>
#include <harmonium/framework/run/sections.hpp>
#include <harmonium/framework/training/fitted_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr const char* observed_size = "num_visible";
constexpr const char* class_number = "num_labels";

Value size_value(Index n) { return make_value(static_cast<std::int64_t>(n)); }
bool asks_data(const Value* value) { return value && *value == make_value("data"); }

/// A [model] table, and what its type's options are.
class OpenSizes {
 public:
  OpenSizes(Value& model, const Registries& registries) : model_(model), registries_(registries) {
    const Value* type = model_.find("type");
    for (const ComponentInfo& c : registries.components())
      if (type && c.kind == EnergyModel::kind && *type == make_value(c.name)) options_ = c.options;
  }

  bool any() const {
    return all_known() && (lacks_visible() || asks_data(model_.find(class_number)) || open_layer() != nullptr);
  }

  void fill(const Dataset& rows, std::string* guess) {
    if (lacks_visible()) {
      take_sites(rows, guess);
      const std::string who = fmt::format("{}model: '{}' is left out", written_at(model_), observed_size);
      const Index width = width_of(model_.find("visible_units"), "visible_units");
      const bool states = holds_states(rows, width);
      model_.set(observed_size, size_value(states ? rows.cols() : units_in(rows, rows.cols(), width, who)));
    }
    if (const Value* labels = model_.find(class_number); asks_data(labels)) {
      need_classes(rows, *labels);
      model_.set(class_number, size_value(rows.num_classes()));
    }
    if (Value* layer = open_layer()) fill_layer(*layer, rows);
  }

 private:
  const OptionInfo* option(const std::string& name) const {
    const auto found = std::ranges::find(options_, name, &OptionInfo::name);
    return found == options_.end() ? nullptr : &*found;
  }

  bool all_known() const {
    return std::ranges::all_of(std::get<Value::Table>(model_.data), [&](const auto& entry) {
      return entry.first == "type" || std::ranges::any_of(options_, [&](const OptionInfo& o) {
               return o.name.substr(0, o.name.find_first_of(".[")) == entry.first;
             });
    });
  }

  /// A default of its own would be a size of its own.
  bool lacks_visible() const {
    const OptionInfo* own = option(observed_size);
    return own && own->fallback == "0" && !model_.find(observed_size);
  }

  /// Of rows whose shape says that they are states of sites, such as aligned sequences, units that know of sites, where none are named.
  void take_sites(const Dataset& rows, std::string* guess) {
    const Index states = option("visible_units") && !model_.find("visible_units") ? one_hot_states(rows) : 0;
    if (states == 0) return;
    Value units = make_table();
    units.set("type", make_value("categorical"));
    units.set("num_states", size_value(states));
    model_.set("visible_units", std::move(units));
    if (guess)
      *guess = fmt::format(
          "model.visible_units is not set: each row is {} sites of {} states, and a site is taken for one categorical "
          "unit.",
          rows.cols() / states, states);
  }

  /// The option that lists the layers of such a type; null: it is none.
  const char* list_name() const {
    for (const char* name : {"layers", "observed_layers"})
      if (option(fmt::format("{}[].size", name))) return name;
    return nullptr;
  }

  /// The observed layers in the list; none where it is not as a list of layers is.
  std::vector<Value*> observed_layers() const {
    Value* list = list_name() ? model_.find(list_name()) : nullptr;
    std::vector<Value*> layers;
    if (!list || !list->is_list()) return layers;
    for (Value& layer : std::get<Value::List>(list->data)) {
      if (!layer.is_table()) return {};
      const Value* role = layer.find("role");
      if (!role || *role == make_value("observed")) layers.push_back(&layer);
    }
    return layers;
  }

  /// The one observed layer without a size; null where there is none, or are several.
  Value* open_layer() const {
    Value* open = nullptr;
    for (Value* layer : observed_layers()) {
      if (layer->find("size")) continue;
      if (open) return nullptr;
      open = layer;
    }
    return open;
  }

  static bool takes_classes(const Value& layer) {
    const Value* name = layer.find("name");
    return name && *name == make_value(std::string(label_layer));
  }

  void fill_layer(Value& layer, const Dataset& rows) const {
    const std::string units = fmt::format("{}[].units", list_name());
    Index columns = rows.cols();
    if (takes_classes(layer)) {
      need_classes(rows, layer);
      columns = rows.num_classes();
    } else {
      for (const Value* other : observed_layers()) {
        if (other == &layer || takes_classes(*other)) continue;
        const auto* size = std::get_if<std::int64_t>(&other->find("size")->data);
        if (!size || *size < 1) return;
        const Index taken = static_cast<Index>(*size) * width_of(other->find("units"), units);
        columns = taken < columns ? columns - taken : 0;
      }
    }
    const Value* name = layer.find("name");
    const std::string who = fmt::format("{}model: layer '{}' has no 'size'", written_at(layer),
                                        name && name->is_string() ? std::get<std::string>(name->data) : "");
    const Index width = width_of(layer.find("units"), units);
    const bool states = !takes_classes(layer) && columns == rows.cols() && holds_states(rows, width);
    layer.set("size", size_value(states ? columns : units_in(rows, columns, width, who)));
  }

  /// How many columns of the data a unit has; `name`: that of the option which `given` is of.
  Index width_of(const Value* given, const std::string& name) const {
    const OptionInfo* own = option(name);
    Value spec = given ? spelled_out(*given, "type") : make_table();
    if (!spec.is_table() || (!own && !given)) return 1;  // whoever makes the model tells of what is no table
    const std::string fallback =
        own && own->fallback.size() > 2 ? own->fallback.substr(1, own->fallback.size() - 2) : "";
    if (!spec.find("type") && fallback.empty()) return 1;
    if (!spec.find("type")) spec.set("type", make_value(fallback));
    Value effective;
    return registries_.make<UnitType>(spec, effective)->width();
  }

  static Index units_in(const Dataset& rows, Index columns, Index width, const std::string& who) {
    if (columns > 0 && columns % width == 0) return columns / width;
    if (columns == 0)
      throw ConfigError(fmt::format(
          "{}, and the other observed layers take all {} columns of {}. Give them the columns that they have.", who,
          rows.cols(), rows.name()));
    throw ConfigError(
        fmt::format("{}, and {} columns of {} are neither a whole number of units of {} columns each, one-hot, nor "
                    "states from 0 to "
                    "{}, one column a unit. Give the units the states that the data have, or take other data.",
                    who, columns, rows.name(), width, width - 1));
  }

  static void need_classes(const Dataset& rows, const Value& at) {
    if (rows.num_classes() > 0) return;
    throw ConfigError(fmt::format(
        "{}model: the number of classes is to be that of the data, and {} has no labels. Set data.labels to a "
        "file of them (data.label_column in a CSV file), or take data that has them.",
        written_at(at), rows.name()));
  }

  Value& model_;
  const Registries& registries_;
  std::vector<OptionInfo> options_;
};

}  // namespace

bool leaves_sizes(const Value& model, const Registries& registries) {
  Value copy = model;
  return OpenSizes(copy, registries).any();
}

Value with_sizes_of(const Dataset& rows, Value model, const Registries& registries, std::string* guess) {
  OpenSizes(model, registries).fill(rows, guess);
  return model;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
