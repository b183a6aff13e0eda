// The table of a configuration that describes a layered model.
#include <harmonium/models/layered.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

Value LayeredModel::configuration() const {
  std::vector<Value> layers, terms;
  for (const LayerId l : layout_.ids()) {
    const Layer& layer = layout_[l];
    layers.push_back(make_table({{"name", make_value(layer.name)},
                                 {"size", make_value(static_cast<std::int64_t>(layer.size))},
                                 {"role", make_value(layer.role == Role::latent ? "latent" : "observed")},
                                 {"units", layer.unit->configuration()},
                                 {"bias", make_value(bias_[static_cast<Index>(l)] != nullptr)}}));
  }
  // Biases and precisions too, so that tensors come in the same order.
  for (const auto& term : terms_) terms.push_back(term->configuration());
  Value model = make_table({{"type", make_value("layered")}});
  model.set("layers", {}).data = std::move(layers);
  model.set("terms", {}).data = std::move(terms);
  return model;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
