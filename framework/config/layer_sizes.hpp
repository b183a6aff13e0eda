#pragma once

#include <string_view>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// A preset of models is `layered` in the configuration that a run keeps, where its sizes are those of layers. So that they can be
/// set there by the preset's names, an entry `num_visible`, `num_hidden` or `num_labels` of such a [model] table is moved: to the
/// size of the layer `visible` or `hidden`, of a list to those of `hidden1`, `hidden2`, …, and to the states of the layer `label`.
/// Other keys, and models of other types, are left as they are. Throws ConfigError where there is no such layer.
void move_size_to_layer(Value& model, std::string_view key);

/// The table of a layered model in which each layer without a size, of which a term has the shape, has as many units as that has
/// sites.
Value with_sizes_of_shapes(Value model);

}  // namespace v1
}  // namespace harmonium
