#include <harmonium/models/rbm.hpp>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/units/binary.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void RbmOptions::bind(OptionBinder& o) {
  o.option("num_visible", num_visible, "number of visible units, one a column of the data; must be given", at_least(1));
  o.option("num_hidden", num_hidden, "number of hidden units; must be given", at_least(1));
  o.component("visible_units", visible_units, "kind of the visible units", "binary");
  o.component("hidden_units", hidden_units, "kind of the hidden units", "binary");
}

void RbmOptions::validate() const {
  if (num_visible == 0)
    throw ConfigError("'num_visible' must be given (at least 1): the number of columns of the data.");
  if (num_hidden == 0) throw ConfigError("'num_hidden' must be given (at least 1).");
}

std::unique_ptr<Pairwise> make_rbm(RbmOptions options) {
  options.validate();
  const auto unit = [](std::unique_ptr<UnitType> u) -> std::shared_ptr<const UnitType> {
    if (!u) return std::make_shared<BinaryUnit>();
    return u;
  };
  LayerGraph graph;
  graph.layers = {{"visible", options.num_visible, unit(std::move(options.visible_units)), Role::observed},
                  {"hidden", options.num_hidden, unit(std::move(options.hidden_units)), Role::latent}};
  graph.couplings = {{0, 1}};
  return std::make_unique<Pairwise>(std::move(graph));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
