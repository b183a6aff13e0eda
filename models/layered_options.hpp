#pragma once

#include <memory>
#include <string>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/models/coupling_masks.hpp>
#include <harmonium/models/layered.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// One layer of a layered model as a configuration has it.
struct LayerOptions {
  std::string name;
  Index size = 0;
  Role role = Role::observed;
  std::unique_ptr<UnitType> units = {};  ///< null: binary
  bool bias = true;
  bool learn_precision = false;

  void bind(OptionBinder& o);
  void validate() const;
};

/// Any list of layers and of terms. A layer has a bias unless `bias` is false, or `terms` names a bias of it; and a
/// precision where its units have one.
struct LayeredOptions {
  std::vector<LayerOptions> layers;
  std::vector<std::unique_ptr<EnergyTerm>> terms;
  std::vector<CouplingMask> masks;

  void bind(OptionBinder& o);
  void validate() const;
};

/// The model that the options describe, all parameters 0. Throws ConfigError where they describe none.
std::unique_ptr<LayeredModel> make_layered(LayeredOptions options);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
