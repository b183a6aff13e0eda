#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/run/request.hpp>

namespace harmonium {
inline namespace v1 {

/// A layer that states are of.
struct RowLayer {
  std::string name, units;  ///< `units` as a configuration writes them
  Index columns = 0;
  bool observed = true;
  bool operator==(const RowLayer&) const = default;
};

/// Draws of a model by which its log Z was found and agreed on, whole states, as numbers that the model of another precision can read.
struct CertifiedRows {
  std::vector<RowLayer> layers;  ///< all of the model, in its order
  Index rows = 0, columns = 0;
  std::vector<double> values;  ///< row after row, the layers side by side
  Index group = 1;             ///< neighbors that share their luck
  bool starts_apart = false;   ///< whether every other group is of a ladder that began low
  bool sums_latent = false;    ///< whether the model has a free energy of its observed units

  std::vector<RowLayer> observed() const {
    std::vector<RowLayer> some;
    for (const RowLayer& layer : layers)
      if (layer.observed) some.push_back(layer);
    return some;
  }
};

/// What an energy of rows is of: the observed units, the latent ones summed out, or all.
enum class EnergyOf : std::uint8_t { observed, all };

struct EnergiesRequest : CommonRequest {
  std::string model;
  double beta = 1.0;
  EnergyOf of = EnergyOf::observed;
  /// With these very layers, or those of them that the energy is of.
  std::vector<const CertifiedRows*> rows = {};
};

}  // namespace v1
}  // namespace harmonium
