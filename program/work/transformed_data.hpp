#pragma once

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/requests.hpp>
#include <harmonium/program/work/transform_way.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What `transform` finds, and how.
struct TransformTarget {
  LayerId layer;
  TransformWay way;
};

/// The rows that `transform` is asked for: those that the command names, or, by --split, a part of the run's own. `options` are
/// those of the command. Throws ConfigError where they are named twice or not at all or where the output would replace
/// them, CapabilityError where they have holes that the way does not take, and as their reader does.
Dataset rows_to_transform(const TransformRequest& request, const ModelHeader& header, const EnergyModel& model,
                          TransformTarget target, const Value& options, const Registries& registries,
                          const RandomSource& random);

/// The rows of --truth, read as those that are completed.
Dataset true_rows(const TransformRequest& request, const ModelHeader& header, const Layout& layout,
                  const Value& options, const Registries& registries, const RandomSource& random);

/// Whether rows lack more than classes that the way sums out.
bool lacks_units(const Dataset& data, const Layout& layout, TransformWay way);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
