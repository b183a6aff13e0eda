#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/presets.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

void bind_num_visible(OptionBinder& o, Index& num_visible) {
  o.option("num_visible", num_visible, "number of visible units; left out: as the data have columns", at_least(1));
}
void bind_num_labels(OptionBinder& o, Index& num_labels) {
  o.option("num_labels", num_labels,
           "classes of a layer 'label' that takes the data's labels, \"data\": as many as these have; 0: no such layer",
           at_least(0));
}
/// What comes last in every preset.
void bind_units(OptionBinder& o, std::unique_ptr<UnitType>& visible, std::unique_ptr<UnitType>* hidden, bool& learn,
                std::vector<CouplingMask>& masks) {
  o.component("visible_units", visible, "kind of the visible units", "binary");
  if (hidden) o.component("hidden_units", *hidden, "kind of the hidden units", "binary");
  o.option("learn_precision", learn,
           "learn the precisions of Gaussian units too, in place of keeping them as they are");
  bind_masks(o, masks);
}

void check_visible(Index num_visible) {
  if (num_visible == 0)
    throw ConfigError("'num_visible' must be given (at least 1) where there is no data to take it from.");
}
void check_hidden(Index num_hidden) {
  if (num_hidden == 0) throw ConfigError("'num_hidden' must be given (at least 1).");
}
void check_labels(Index num_labels) {
  if (num_labels == 1)
    throw ConfigError("'num_labels' is 1, but one class tells nothing. Take as many as the data has, or 0 for none.");
}

}  // namespace

void RbmOptions::bind(OptionBinder& o) {
  bind_num_visible(o, num_visible);
  o.option("num_hidden", num_hidden, "number of hidden units; must be given", at_least(1));
  bind_num_labels(o, num_labels);
  bind_units(o, visible_units, &hidden_units, learn_precision, masks);
}

void RbmOptions::validate() const {
  check_visible(num_visible);
  check_hidden(num_hidden);
  check_labels(num_labels);
}

void BoltzmannMachineOptions::bind(OptionBinder& o) {
  bind_num_visible(o, num_visible);
  o.option("num_hidden", num_hidden, "number of hidden units; must be given", at_least(1));
  o.option("lateral", lateral,
           "layers whose units are coupled among themselves: \"visible\", \"hidden\", both or none");
  bind_num_labels(o, num_labels);
  bind_units(o, visible_units, &hidden_units, learn_precision, masks);
}

void BoltzmannMachineOptions::validate() const {
  check_visible(num_visible);
  check_hidden(num_hidden);
  check_labels(num_labels);
  for (const std::string& name : lateral) {
    if (name != "visible" && name != "hidden")
      throw ConfigError(fmt::format("'lateral' names the layers 'visible' and 'hidden', not '{}'{}.", name,
                                    did_you_mean(name, {"visible", "hidden"})));
    if (std::ranges::count(lateral, name) > 1) throw ConfigError(fmt::format("'lateral' names '{}' twice.", name));
  }
}

void FullyVisibleOptions::bind(OptionBinder& o) {
  bind_num_visible(o, num_visible);
  bind_units(o, visible_units, nullptr, learn_precision, masks);
}

void FullyVisibleOptions::validate() const { check_visible(num_visible); }

void DeepOptions::bind(OptionBinder& o) {
  bind_num_visible(o, num_visible);
  o.option("num_hidden", num_hidden,
           "number of units of each hidden layer, from the visible layer up; at least two must be given");
  bind_num_labels(o, num_labels);
  bind_units(o, visible_units, &hidden_units, learn_precision, masks);
}

void DeepOptions::validate() const {
  check_visible(num_visible);
  check_labels(num_labels);
  if (num_hidden.size() < 2)
    throw ConfigError("'num_hidden' must list the sizes of at least two hidden layers; with one, take 'rbm'.");
  for (const double n : num_hidden)
    if (!(n >= 1.0) || n != std::floor(n) || n > 1e12)
      throw ConfigError(fmt::format("'num_hidden' holds {}, but a layer has a whole number of units, at least 1.", n));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
