#pragma once

#include <cstdint>

#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// How `transform` finds a layer given each row.
enum class TransformWay : std::uint8_t {
  closed,
  enumerated,
  mean_field,
  classes,
  unlabeled,
  upward,
  unlabeled_upward,  ///< the first machine sums out the labels
  completed,         ///< all that is observed, given what was seen
};

/// Whether the way is about what was seen of rows, whether they have holes or not.
inline bool takes_holes(TransformWay way) { return way == TransformWay::classes || way == TransformWay::completed; }
/// Whether rows may have holes: means of latent layers are then given what was seen.
bool fits_holes(const TransformRequest& request, TransformWay way);

/// Whether the model has classes that can be told, by sums or by chains.
bool tells_classes(const EnergyModel& model);
/// The layer that `--layer` names, or the first latent one; of completed rows the first observed one. Throws ConfigError, and CapabilityError where there is none.
LayerId transformed_layer(const TransformRequest& request, const ModelHeader& header, const Layout& layout);
/// The way that is asked for, or an exact one. Throws ConfigError where what is asked for does not go together, CapabilityError
/// where the model does not offer it.
TransformWay transform_way(const TransformRequest& request, const EnergyModel& model, LayerId layer);
/// What the line that is printed says of it.
const char* words_of_way(TransformWay way, bool draws);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
