#include <harmonium/framework/config/layer_sizes.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/named_binder.hpp>
#include <harmonium/framework/config/spelled_out.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// The names of presets for sizes, and the layers whose sizes they are.
constexpr std::pair<std::string_view, std::string_view> sizes[] = {
    {"num_visible", "visible"}, {"num_hidden", "hidden"}, {"num_labels", "label"}};

bool is_called(const Value& layer, const std::string& name) {
  const Value* own = layer.find("name");
  return own && *own == make_value(name);
}

/// "layers[0] 'visible', layers[1] 'top'"
std::string layers_text(const Value::List& layers) {
  std::vector<std::string> names;
  for (const Value& layer : layers) {
    const Value* name = layer.find("name");
    names.push_back(fmt::format("layers[{}] '{}'", names.size(),
                                name && name->is_string() ? std::get<std::string>(name->data) : ""));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The one layer of that name; `size`: what is to be set, for messages.
Value& layer_called(Value::List& layers, const std::string& name, std::string_view key, const Value& size) {
  const auto same = [&](const Value& layer) { return is_called(layer, name); };
  if (std::ranges::count_if(layers, same) == 1) return *std::ranges::find_if(layers, same);
  const bool classes = key == "num_labels";
  throw ConfigError(fmt::format(
      "{}there is no option '{}', and not one layer '{}' whose {} it could be. Its layers are {}. Set that of the one "
      "that is meant, as in model.layers[{}].{}={}.",
      in_front(size.where, "model 'layered'"), key, name, classes ? "states" : "size", layers_text(layers),
      layers.size() - 1, classes ? "units.num_states" : "size", size.number() ? write_toml_value(size) : "8"));
}

/// As many sizes as there are layers hidden1, hidden2, …
void set_hidden_sizes(Value::List& layers, std::string_view key, const Value& sizes_given) {
  const auto& list = std::get<Value::List>(sizes_given.data);
  const auto name = [](std::size_t k) { return fmt::format("hidden{}", k + 1); };
  for (std::size_t k = 0; k < list.size(); ++k) layer_called(layers, name(k), key, sizes_given).set("size", list[k]);
  if (std::ranges::any_of(layers, [&](const Value& layer) { return is_called(layer, name(list.size())); }))
    throw ConfigError(
        fmt::format("{}'{}' has {} size{}, and there is a layer '{}' besides. Give one for each hidden layer of {}.",
                    in_front(sizes_given.where, "model 'layered'"), key, list.size(), list.size() == 1 ? "" : "s",
                    name(list.size()), layers_text(layers)));
}

/// The number of sites of a shape, 7 or [2, 3]; nothing where it is none, which its term tells.
std::optional<std::int64_t> sites_of(const Value& shape) {
  const Value::List one{shape};
  const auto* lengths = std::get_if<Value::List>(&shape.data);
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  std::int64_t sites = 1;
  for (const Value& each : lengths ? *lengths : one) {
    const auto* length = std::get_if<std::int64_t>(&each.data);
    if (!length || *length < 1 || *length > most / sites) return {};
    sites *= *length;
  }
  return sites;
}

}  // namespace

Value with_sizes_of_shapes(Value model) {
  const Value *type = model.find("type"), *listed = model.find("terms");
  Value* of_layers = model.find("layers");
  const auto* terms = listed ? std::get_if<Value::List>(&listed->data) : nullptr;
  auto* layers = of_layers ? std::get_if<Value::List>(&of_layers->data) : nullptr;
  if (!type || !(*type == make_value("layered")) || !terms || !layers) return model;
  for (Value& layer : *layers) {
    const Value* name = layer.is_table() ? layer.find("name") : nullptr;
    if (!name || layer.find("size")) continue;
    for (const Value& term : *terms) {
      const Value *own = term.is_table() ? term.find("layer") : nullptr, *shape = own ? term.find("shape") : nullptr;
      const std::optional<std::int64_t> sites = shape && *own == *name ? sites_of(*shape) : std::nullopt;
      if (!sites) continue;
      layer.set("size", make_value(*sites));
      break;
    }
  }
  return model;
}

void move_size_to_layer(Value& model, std::string_view key) {
  const auto* size_of = std::ranges::find(sizes, key, &std::pair<std::string_view, std::string_view>::first);
  const Value *type = model.find("type"), *given = model.find(key);
  if (size_of == std::end(sizes) || !given || !type || !(*type == make_value("layered"))) return;
  Value* listed = model.find("layers");
  auto* layers = listed ? std::get_if<Value::List>(&listed->data) : nullptr;
  if (!layers || layers->empty() || !std::ranges::all_of(*layers, &Value::is_table)) return;
  const Value size = *given;
  const auto* several = std::get_if<Value::List>(&size.data);
  if (key == "num_hidden" && several && !several->empty()) {
    set_hidden_sizes(*layers, key, size);
  } else {
    Value& layer = layer_called(*layers, std::string(size_of->second), key, size);
    if (key != "num_labels") {
      layer.set("size", size);
    } else {
      // The layer of classes is one unit, which has as many states.
      Value units = layer.find("units") ? spelled_out(*layer.find("units"), "type") : make_table();
      if (!units.is_table()) return;
      units.set("num_states", size);
      layer.set("units", std::move(units));
    }
  }
  model.erase(key);
}

}  // namespace v1
}  // namespace harmonium
