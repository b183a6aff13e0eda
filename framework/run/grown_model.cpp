#include <harmonium/framework/run/grown_model.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/tensor_names.hpp>
#include <harmonium/framework/training/initializer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double largest_new = 0.1;  // root mean square of couplings beyond which new units would disturb the old ones
constexpr double small_std = 0.01;   // the deviation of the initializer that is taken then

const Layer* layer_named(const Layout& layout, const std::string& name) {
  for (const Layer& layer : layout.layers())
    if (layer.name == name) return &layer;
  return nullptr;
}

std::string_view word_of(Role role) { return role == Role::observed ? "observed" : "latent"; }

/// Throws where the layers do not correspond; returns what grew.
std::vector<std::string> check_layers(const Layout& from, const Layout& to) {
  for (const Layer& layer : from.layers())
    if (!layer_named(to, layer.name))
      throw ConfigError(fmt::format("its layer '{}' is none of the configuration's.", layer.name));
  std::vector<std::string> grown;
  for (const Layer& layer : to.layers()) {
    const Layer* old = layer_named(from, layer.name);
    if (!old) throw ConfigError(fmt::format("it has no layer '{}', which the configuration has.", layer.name));
    if (old->role != layer.role)
      throw ConfigError(fmt::format("its layer '{}' is {}, and the configuration's {}.", layer.name, word_of(old->role),
                                    word_of(layer.role)));
    if (!(old->unit->configuration() == layer.unit->configuration()) || old->unit->width() != layer.unit->width())
      throw ConfigError(fmt::format("its layer '{}' has units '{}', and the configuration's '{}' (or other options).",
                                    layer.name, old->unit->name(), layer.unit->name()));
    if (old->size == layer.size) continue;
    if (layer.role == Role::observed || layer.size < old->size)
      throw ConfigError(
          fmt::format("its layer '{}' has {} units, and the configuration's {}: {}.", layer.name, old->size, layer.size,
                      layer.role == Role::observed ? "only latent layers may grow"
                                                   : "a latent layer may have more units than the file's, not fewer"));
    grown.push_back(
        fmt::format("{}: {} to {} units ({} new)", layer.name, old->size, layer.size, layer.size - old->size));
  }
  return grown;
}

std::vector<std::string> names_of_layers(const ParameterBlock& block, const Layout& layout) {
  std::vector<std::string> names;
  for (const LayerId id : block.layers) names.push_back(layout[id].name);
  return names;
}

/// Whether the rows of a tensor are the columns of its first layer, and its columns those of its second, or a single one.
bool goes_by_units(const ParameterBlock& block, const Layout& layout) {
  if (block.layers.empty() || block.layers.size() > 2 || block.rows != layout[block.layers[0]].columns()) return false;
  return block.layers.size() == 1 ? block.cols == 1 : block.cols == layout[block.layers[1]].columns();
}

bool has_entry(const ParameterBlock& block, Index row, Index col) {
  return !block.mask || (*block.mask)[row * block.cols + col] != 0;
}

/// Throws where a tensor of `to` is not that of `from`, up to units that came on.
void check_tensor(const ParameterBlock& old, const Layout& from, const ParameterBlock& block, const Layout& to) {
  const bool same_shape = old.rows == block.rows && old.cols == block.cols;
  if (old.symmetry != block.symmetry || old.role != block.role ||
      names_of_layers(old, from) != names_of_layers(block, to))
    throw ConfigError(
        fmt::format("its tensor '{}' joins other layers, or has another part in the energy, than the configuration's.",
                    block.name));
  if (!same_shape && (!goes_by_units(old, from) || !goes_by_units(block, to)))
    throw ConfigError(fmt::format(
        "its tensor '{}' has shape {}, and the configuration's {}, whose entries are not known to go by units, so that "
        "its layers cannot grow.",
        block.name, text_of(shape_of(old)), text_of(shape_of(block))));
  for (Index i = 0; i < old.rows && (old.mask || block.mask); ++i)
    for (Index j = 0; j < old.cols; ++j)
      if (has_entry(old, i, j) != has_entry(block, i, j))
        throw ConfigError(fmt::format(
            "its tensor '{}' {} entry [{}, {}], and the configuration's {}: their masks differ.", block.name,
            has_entry(old, i, j) ? "has an" : "lacks the", i, j, has_entry(block, i, j) ? "has it" : "lacks it"));
}

void check_tensors(const EnergyModel& from, const EnergyModel& to) {
  const ParameterLayout &old = from.parameter_layout(), &own = to.parameter_layout();
  for (const ParameterBlock& block : old.blocks())
    if (own.find(block.name) == own.blocks().size())
      throw ConfigError(fmt::format("its tensor '{}' is none of the configuration's model.", block.name));
  for (const ParameterBlock& block : own.blocks()) {
    const Index at = old.find(block.name);
    if (at == old.blocks().size())
      throw ConfigError(fmt::format("it has no tensor '{}', which the configuration's model has.", block.name));
    check_tensor(old[at], from.layout(), block, to.layout());
    const auto values = from.parameters().subspan(old[at].offset, old[at].size());
    if (block.uniform && std::ranges::any_of(values, [&](Real v) { return v != values.front(); }))
      throw ConfigError(fmt::format(
          "its tensor '{}' has numbers that differ, and the configuration's is one number for all units (uniform = "
          "true).",
          block.name));
  }
}

/// Root mean square of the entries of a tensor that `old` has not; 0 where there are none.
double size_of_new(const ParameterBlock& block, const ParameterBlock& old, std::span<const Real> theta) {
  double sum = 0.0;
  Index count = 0;
  for (Index i = 0; i < block.rows; ++i)
    for (Index j = i < old.rows ? old.cols : 0; j < block.cols; ++j) {
      if (!has_entry(block, i, j)) continue;
      const auto value = static_cast<double>(theta[block.offset + i * block.cols + j]);
      sum += value * value;
      ++count;
    }
  return count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0.0;
}

}  // namespace

std::vector<std::string> grow(const EnergyModel& from, EnergyModel& to, const Execution& execution) {
  std::vector<std::string> grown = check_layers(from.layout(), to.layout());
  check_tensors(from, to);
  const ParameterLayout &old = from.parameter_layout(), &own = to.parameter_layout();
  const bool too_large = std::ranges::any_of(own.blocks(), [&](const ParameterBlock& block) {
    return block.role == ParameterRole::coupling &&
           size_of_new(block, old[old.find(block.name)], to.parameters()) > largest_new;
  });
  if (!grown.empty() && too_large)
    NormalInitializer({.std = small_std, .biases = {.visible_bias = VisibleBias::zero}})
        .initialize(to, nullptr, {execution.executor, execution.random.child("small")});
  to.update_parameters([&](std::span<Real> theta) {
    for (const ParameterBlock& block : own.blocks()) {
      const ParameterBlock& its = old[old.find(block.name)];
      const Real* source = from.parameters().data() + its.offset;
      for (Index i = 0; i < its.rows; ++i)
        std::copy_n(source + i * its.cols, its.cols,
                    theta.begin() + static_cast<std::ptrdiff_t>(block.offset + i * block.cols));
      if (block.uniform && its.size() > 0)  // new units have what the others share
        std::ranges::fill(theta.subspan(block.offset, block.size()).subspan(its.size()), *source);
    }
  });
  return grown;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
