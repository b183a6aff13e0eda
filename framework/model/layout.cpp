#include <harmonium/framework/model/layout.hpp>

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

UnitType::~UnitType() = default;
double UnitType::linear_limit() const { return std::numeric_limits<double>::infinity(); }
Value UnitType::configuration() const { return make_table({{"type", make_value(std::string(name()))}}); }

namespace {

// Of a layer; what a memory holds is asked where the tensors are laid out.
constexpr Index most_columns = std::numeric_limits<Index>::max() / 2;

}  // namespace

Layout::Layout(std::vector<Layer> layers)
    : layers_(std::make_move_iterator(layers.begin()), std::make_move_iterator(layers.end())) {
  if (layers_.empty()) throw ConfigError("a model needs at least one layer");
  if (layers_.size() > 64)
    throw ConfigError(fmt::format("a model has at most 64 layers, not {}. Take fewer.", layers_.size()));
  for (Index i = 0; i < layers_.size(); ++i) {
    if (layers_[i].size == 0) throw ConfigError(fmt::format("layer '{}' has no units", layers_[i].name));
    if (layers_[i].size > most_columns / layers_[i].unit->width())
      throw ConfigError(
          fmt::format("layer '{}' of {} units of {} columns is larger than any memory. Take a smaller one.",
                      layers_[i].name, layers_[i].size, layers_[i].unit->width()));
    for (Index j = 0; j < i; ++j)
      if (layers_[i].name == layers_[j].name)
        throw ConfigError(fmt::format("two layers are called '{}'. Rename one.", layers_[i].name));
  }
  if (observed().empty())
    throw ConfigError("no layer is observed, and a model needs at least one that is. Give it the role observed.");
}

std::vector<LayerId> Layout::ids() const {
  std::vector<LayerId> ids;
  for (Index i = 0; i < size(); ++i) ids.push_back(id(i));
  return ids;
}

LayerId Layout::find(std::string_view name) const {
  std::string known;
  for (Index i = 0; i < size(); ++i) {
    if (layers_[i].name == name) return id(i);
    known += (i ? ", " : "") + layers_[i].name;
  }
  throw ConfigError(fmt::format("the model has no layer '{}'. Its layers: {}.", name, known));
}

std::vector<LayerId> Layout::ids(LayerSet set) const {
  std::vector<LayerId> some = ids();
  std::erase_if(some, [&](LayerId l) { return !set.contains(l); });
  return some;
}

LayerSet Layout::all() const {
  LayerSet set;
  for (const LayerId l : ids()) set.add(l);
  return set;
}

LayerSet Layout::observed() const {
  LayerSet set;
  for (const LayerId l : ids())
    if ((*this)[l].role == Role::observed) set.add(l);
  return set;
}

LayerSet Layout::latent() const { return all() - observed(); }

Index Layout::columns(LayerSet set) const {
  Index columns = 0;
  for (const LayerId l : ids(set)) columns += (*this)[l].columns();
  return columns;
}

PerLayer<Index> Layout::first_columns(LayerSet set) const {
  PerLayer<Index> first(size(), 0);
  Index next = 0;
  for (const LayerId l : ids(set)) next = (first[l] = next) + (*this)[l].columns();
  return first;
}

double Layout::log2_states(LayerSet set) const {
  double bits = 0.0;
  for (const LayerId l : ids(set)) {
    const Index states = (*this)[l].unit->num_states();
    if (states == 0) return std::numeric_limits<double>::infinity();
    bits += static_cast<double>((*this)[l].size) * std::log2(static_cast<double>(states));
  }
  return bits;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
