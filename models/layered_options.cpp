#include <harmonium/models/layered_options.hpp>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/units/binary.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void LayerOptions::bind(OptionBinder& o) {
  o.option("name", name, "what terms and tensors call it; must be given");
  o.option("size", size, "number of units; one observed layer may leave it to the data, any one to its lattice",
           at_least(1));
  o.choice("role", role, {{"observed", Role::observed}, {"latent", Role::latent}},
           "whether its units are columns of the data, or hidden");
  o.component("units", units, "kind of its units", "binary");
  o.option("bias", bias, "whether its units have biases");
  o.option("learn_precision", learn_precision,
           "learn the precisions of Gaussian units too, in place of keeping them as they are");
}

void LayerOptions::validate() const {
  if (name.empty()) throw ConfigError("'name' must be given, such as \"visible\".");
  // It becomes part of names in HDF5, JSON and CSV files.
  const auto odd = [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7f ||
           std::string_view("./,\"\\").find(c) != std::string_view::npos;
  };
  if (std::ranges::any_of(name, odd))
    throw ConfigError(
        fmt::format("the name '{}' has a dot, a slash, a comma, a quotation mark, a blank or a control character, "
                    "which names of tensors "
                    "cannot have.",
                    name));
  if (size == 0) throw ConfigError(fmt::format("'size' of layer '{}' must be given (at least 1).", name));
  if (learn_precision && !has_precision(*units))
    throw ConfigError(
        fmt::format("'learn_precision' of layer '{}' is true, but its units are {}, which have no precision.", name,
                    units->name()));
}

void LayeredOptions::bind(OptionBinder& o) {
  o.list("layers", layers, "the layers, each a table [[model.layers]]; must be given");
  o.components("terms", terms, "the summands of the energy beside biases and precisions, each a table [[model.terms]]");
  bind_masks(o, masks);
}

void LayeredOptions::validate() const {
  if (layers.empty()) throw ConfigError("'layers' must be given: one table [[model.layers]] for each layer.");
}

namespace {

/// Tells what is wrong with a term among these layers of that term, where the model would tell of itself.
void check_terms(const std::vector<Layer>& layers, const EnergyTerms& terms) {
  const Layout layout(layers);
  for (Index i = 0; i < terms.size(); ++i) {
    ParameterLayout unused;
    try {
      terms[i]->copy()->declare(layout, unused);
    } catch (const ConfigError& error) {
      // A size names its tensor already, and whoever took a preset wrote no terms.
      if (std::string_view(error.what()).starts_with("with the tensor ")) throw;
      throw ConfigError(fmt::format("option 'terms[{}]': {}", i, error.what()));
    }
  }
}

}  // namespace

std::unique_ptr<LayeredModel> make_layered(LayeredOptions options) {
  options.validate();
  std::vector<Layer> layers;
  UnitTermsWanted wanted;
  for (LayerOptions& layer : options.layers) {
    std::shared_ptr<const UnitType> units = std::move(layer.units);
    if (!units) units = std::make_shared<BinaryUnit>();
    if (!layer.bias) wanted.without_bias.push_back(layers.size());
    if (layer.learn_precision) wanted.learned_precisions.push_back(layers.size());
    layers.push_back({layer.name, layer.size, std::move(units), layer.role});
  }
  check_terms(layers, options.terms);
  EnergyTerms terms = with_unit_terms(layers, std::move(options.terms), wanted);
  auto model = std::make_unique<LayeredModel>(std::move(layers), std::move(terms));
  set_masks(*model, options.masks);
  return model;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
