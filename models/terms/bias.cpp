#include <harmonium/models/terms/bias.hpp>

#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void BiasTerm::Options::bind(OptionBinder& o) {
  o.option("layer", layer, "the layer; must be given");
  o.option("uniform", uniform,
           "one bias for all its units, in place of one a unit: a field that is the same everywhere");
}

void BiasTerm::declare(const Layout& layout, ParameterLayout& parameters) {
  layer_ = layout.find(options_.layer);
  const Layer& own = layout[layer_];
  if (options_.uniform && own.unit->width() > 1)
    throw ConfigError(fmt::format(
        "term 'bias': 'uniform' is true, and all {} states of a unit of layer '{}' would have one bias, which changes "
        "nothing. Leave it out: each state of each unit has its own.",
        own.unit->width(), own.name));
  tensor_ = add_tensor(parameters, {.name = "bias." + options_.layer,
                                    .rows = own.columns(),
                                    .role = ParameterRole::bias,
                                    .layers = {layer_},
                                    .uniform = options_.uniform});
}

Value BiasTerm::configuration() const {
  Value table = table_of("bias", options_);
  if (!options_.uniform) table.erase("uniform");  // what nearly all models are without
  return table;
}

std::string BiasTerm::formula() const {
  return (options_.uniform ? "- b sum_i " : "- sum_i b_i ") + options_.layer + "_i";
}

std::optional<std::string> BiasTerm::refresh(const Real* theta) {
  if (!options_.uniform) return {};
  const Real* const b = theta + tensor_.offset;
  const auto same = [](Real x, Real y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  for (Index i = 1; i < tensor_.rows; ++i)
    if (!same(b[i], b[0]))
      return fmt::format(
          "bias.{}: entries 0 and {} are {} and {}, but all are one parameter (uniform = true of the term 'bias'); "
          "give "
          "all units one value, or set uniform = false",
          options_.layer, i, b[0], b[i]);
  return {};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
