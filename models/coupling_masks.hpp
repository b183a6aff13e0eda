#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Which couplings of one tensor exist: the edges of a file, or the entries of a table that are not 0.
struct CouplingMask {
  std::string coupling;  ///< "visible.hidden": the tensor weight.visible.hidden
  std::string edges;     ///< of couplings within a layer: a graph of its units (framework/files/edge_list.hpp)
  std::string matrix;    ///< units of the first layer × units of the second, in any kind of data file

  void bind(OptionBinder& o);
  void validate() const;
};

void bind_masks(OptionBinder& o, std::vector<CouplingMask>& masks);

/// Reads the files and sets the masks of the model. Throws ConfigError for a coupling that the model has not, or that is
/// masked twice, and for a file that cannot be read, is malformed, or of other sizes.
void set_masks(EnergyModel& model, const std::vector<CouplingMask>& masks);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
