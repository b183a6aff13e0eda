#include <harmonium/framework/config/layer_sizes.hpp>

#include <algorithm>
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

}  // namespace

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
