#include <harmonium/program/stack/latent_units.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// The latent layer of a list of layers; null where there are none or several.
const Value* only_latent(const Value::List& layers) {
  const Value* only = nullptr;
  for (const Value& layer : layers) {
    const Value* role = layer.find("role");
    if (!role || !(*role == make_value("latent"))) continue;
    if (only) return nullptr;
    only = &layer;
  }
  return only;
}

std::optional<LatentUnits> units_of(const Value& table, const char* size, const char* kind) {
  const Value* given = table.find(size);
  const auto number = given ? given->number() : std::nullopt;
  if (!number || *number < 1.0) return {};
  const Value* units = table.find(kind);
  return LatentUnits{static_cast<std::uint64_t>(*number), units ? *units : make_value("binary")};
}

}  // namespace

std::string LatentUnits::kind() const {
  const Value* type = units.is_table() ? units.find("type") : &units;
  return type && type->is_string() ? std::get<std::string>(type->data) : "";
}

std::optional<LatentUnits> latent_units(const Value& config) {
  const Value* model = config.find("model");
  if (!model) return {};
  const Value* layers = model->find("layers");
  if (!layers || !layers->is_list()) return units_of(*model, "num_hidden", "hidden_units");
  const Value* latent = only_latent(std::get<Value::List>(layers->data));
  return latent ? units_of(*latent, "size", "units") : std::nullopt;
}

void observe_units(const LatentUnits& below, Value& config) {
  Value* model = config.find("model");
  if (!model || !model->is_table()) return;
  model->set("num_visible", make_value(static_cast<std::int64_t>(below.number)));
  model->set("visible_units", below.units);
}

}  // namespace v1
}  // namespace harmonium
