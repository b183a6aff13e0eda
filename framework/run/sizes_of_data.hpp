#pragma once

#include <string>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether a [model] table leaves a size to the data: `num_visible`, where its type has that option without a default of its
/// own; the number of classes, by `num_labels = "data"`; or the size of one observed layer, of a type that lists layers.
/// False for a table with an option that its type does not know: whoever makes the model tells.
bool leaves_sizes(const Value& model, const Registries& registries);
/// Such a table with the sizes that the training rows have. One that cannot be found stays out: whoever makes the model
/// asks for it. Where sites of several states are all that rows hold, by their shape, and no units are named, these are categorical ones:
/// `guess`, where not null, receives a sentence on that. Throws ConfigError where the data have no classes, or columns that are no whole
/// number of units.
Value with_sizes_of(const Dataset& rows, Value model, const Registries& registries, std::string* guess = nullptr);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
