// What initializers take for the fields of single units.
#include <harmonium/framework/training/initializer.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void BiasOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<VisibleBias> choices[] = {{"data", VisibleBias::data},
                                                                  {"zero", VisibleBias::zero}};
  o.choice("visible_bias", visible_bias, choices,
           "biases of observed units: those under which each alone has the data's mean (0 without data), or 0");
  o.option("field", field, "biases of all observed units, in place of visible_bias: a uniform field", finite());
  o.option("hidden_bias", hidden_bias, "biases of latent units");
  bind_crystal_field(o, crystal_field);
  bind_precision(o, precision);
}

void bind_crystal_field(OptionBinder& o, std::optional<double>& value) {
  o.option("crystal_field", value, "D of + D sum x^2 of all units of several levels; 0 unless given", finite());
}

void bind_precision(OptionBinder& o, std::optional<double>& value) {
  o.option("precision", value,
           "gamma of + 1/2 gamma sum x^2 of all units that have a precision, as Gaussian ones have; 1 unless given",
           more_than(0));
}

/// A uniform field needs biases that hold it, and units to which it is no constant.
static void check_uniform_field(const EnergyModel& model, double field) {
  bool held = false;
  for (const ParameterBlock& block : model.parameter_layout().blocks()) {
    const Layer& layer = model.layout()[block.layers[0]];
    if (block.role != ParameterRole::bias || layer.role != Role::observed) continue;
    held = true;
    if (layer.unit->width() > 1)
      throw ConfigError(fmt::format(
          "initializer: 'field' is {}, and all states of a unit of layer '{}' would have it, which changes nothing. "
          "Fields of states are read from a file, by initializer 'edge_list' and its 'fields'.",
          field, layer.name));
  }
  if (!held)
    throw ConfigError(fmt::format(
        "initializer: 'field' is {}, and no observed layer has biases to hold it. Set bias = true of the layer.",
        field));
}

void set_crystal_fields(const EnergyModel& model, const std::optional<double>& value, std::span<Real> theta) {
  bool held = false;
  for (const ParameterBlock& block : model.parameter_layout().blocks()) {
    if (block.role != ParameterRole::crystal_field) continue;
    held = true;
    std::ranges::fill(theta.subspan(block.offset, block.size()), static_cast<Real>(value.value_or(0.0)));
  }
  if (value && !held)
    throw ConfigError(fmt::format(
        "initializer: 'crystal_field' is {}, and no layer is of units of several levels. Set its units to \"levels\".",
        *value));
}

void set_precisions(const EnergyModel& model, const std::optional<double>& value, std::span<Real> theta) {
  if (!value) return;
  bool held = false;
  for (const ParameterBlock& block : model.parameter_layout().blocks()) {
    if (block.role != ParameterRole::log_precision) continue;
    held = true;
    std::ranges::fill(theta.subspan(block.offset, block.size()), static_cast<Real>(std::log(*value)));
  }
  if (!held)
    throw ConfigError(fmt::format(
        "initializer: 'precision' is {}, and no layer has units with a precision. Set its units to \"gaussian\".",
        *value));
}

std::string smaller_start(const EnergyModel& model) {
  const auto& blocks = model.parameter_layout().blocks();
  const bool precise = std::ranges::find(blocks, ParameterRole::log_precision, &ParameterBlock::role) != blocks.end();
  return precise ? "Start smaller, or with a greater initializer.precision, which is 1 unless given."
                 : "Start smaller.";
}

void BiasOptions::set(const EnergyModel& model, const Dataset* data, std::span<Real> theta) const {
  const Layout& layout = model.layout();
  if (field) check_uniform_field(model, *field);
  set_crystal_fields(model, crystal_field, theta);
  set_precisions(model, precision, theta);
  const PerLayer<Index> first = layout.first_columns(layout.observed());
  std::vector<double> means;
  if (data && !field && visible_bias == VisibleBias::data) means = data->column_means();
  for (const ParameterBlock& block : model.parameter_layout().blocks()) {
    if (block.role != ParameterRole::bias) continue;
    const Layer& layer = layout[block.layers[0]];
    Real* bias = theta.data() + block.offset;
    if (layer.role == Role::latent) {
      std::fill_n(bias, block.size(), static_cast<Real>(hidden_bias));
    } else if (!data || means.empty()) {
      std::fill_n(bias, block.size(), static_cast<Real>(field.value_or(0.0)));
    } else {
      const Index width = layer.unit->width();
      const double curvature = has_precision(*layer.unit) ? precision.value_or(1.0) : 2.0 * crystal_field.value_or(0.0);
      std::vector<double> linear(width);
      if (block.uniform) {  // of units of one column
        const std::span<const double> own(means.data() + first[block.layers[0]], layer.size);
        const double mean = std::accumulate(own.begin(), own.end(), 0.0) / static_cast<double>(layer.size);
        const auto values = static_cast<double>(data->rows()) * static_cast<double>(layer.size);
        layer.unit->linear_of_mean(std::span(&mean, 1), curvature, values, linear);
        std::fill_n(bias, block.size(), static_cast<Real>(linear[0]));
        continue;
      }
      for (Index u = 0; u < layer.size; ++u) {
        const Index at = first[block.layers[0]] + u * width;
        layer.unit->linear_of_mean(std::span(means).subspan(at, width), curvature, static_cast<double>(data->rows()),
                                   linear);
        std::copy(linear.begin(), linear.end(), bias + u * width);
      }
    }
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
