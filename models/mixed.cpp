#include <harmonium/models/mixed.hpp>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr const char* mixed_hidden = "hidden";

Value integer(Index n) { return make_value(static_cast<std::int64_t>(n)); }

}  // namespace

void MixedOptions::bind(OptionBinder& o) {
  o.list("observed_layers", observed_layers,
         "the layers that the columns of the data are, each a table [[model.observed_layers]]; left out: those of data "
         "that say what their columns are, such as data.type = \"table\"");
  o.option("num_hidden", num_hidden, "number of hidden units; must be given", at_least(1));
  o.component("hidden_units", hidden_units, "kind of the hidden units", "binary");
  bind_masks(o, masks);
}

void MixedOptions::validate() const {
  if (observed_layers.empty())
    throw ConfigError(
        "'observed_layers' must be given: one table [[model.observed_layers]] for each layer. With data of type "
        "\"table\" it may be left out.");
  if (num_hidden == 0) throw ConfigError("'num_hidden' must be given (at least 1).");
  for (const LayerOptions& layer : observed_layers) {
    if (layer.role != Role::observed)
      throw ConfigError(
          fmt::format("layer '{}' of 'observed_layers' is latent. For such layers take 'layered'.", layer.name));
    if (layer.name == mixed_hidden)
      throw ConfigError(
          fmt::format("a layer of 'observed_layers' is called '{}', as the hidden one is. Rename it.", mixed_hidden));
  }
}

Value MixedOptions::expand(const Value& effective) const {
  Value layers = *effective.find("observed_layers"), terms;
  auto& items = std::get<Value::List>(layers.data);
  auto& couplings = terms.data.emplace<Value::List>();
  for (const LayerOptions& layer : observed_layers) {
    Value pair;
    pair.data = Value::List{make_value(layer.name), make_value(mixed_hidden)};
    couplings.push_back(make_table({{"type", make_value("coupling")}, {"layers", std::move(pair)}}));
  }
  items.push_back(make_table({{"name", make_value(mixed_hidden)},
                              {"size", integer(num_hidden)},
                              {"role", make_value("latent")},
                              {"units", *effective.find("hidden_units")}}));
  return make_table({{"type", make_value("layered")},
                     {"layers", std::move(layers)},
                     {"terms", std::move(terms)},
                     {"masks", *effective.find("masks")}});
}

Value MixedOptions::example() {
  Value layers;
  layers.data =
      Value::List{make_table({{"name", make_value("binary")}, {"size", integer(3)}}),
                  make_table({{"name", make_value("real")}, {"size", integer(4)}, {"units", make_value("gaussian")}})};
  return make_table({{"observed_layers", std::move(layers)}, {"num_hidden", integer(20)}});
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
