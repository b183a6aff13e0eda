#pragma once

#include <memory>
#include <vector>

#include <harmonium/models/layered_options.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A restricted Boltzmann machine of several observed layers, each of units of its own kind and coupled with the hidden layer
/// alone: short for a table of `layered`. A run gives it the layers of its data, where these say what they are.
struct MixedOptions {
  std::vector<LayerOptions> observed_layers = {};
  Index num_hidden = 0;
  std::unique_ptr<UnitType> hidden_units = {};  ///< null: binary
  std::vector<CouplingMask> masks = {};

  void bind(OptionBinder& o);
  void validate() const;
  /// The table of `layered` that it stands for; `effective` is its own, every default written out.
  Value expand(const Value& effective) const;
  /// A table that `harmonium describe` shows the expansion of.
  static Value example();
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
