#pragma once

#include <optional>
#include <string_view>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/model/layout.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Throws ConfigError where the columns of `data` are not those of the model's observed layers, or a value lies outside
/// what its unit can take, naming the place and what to set.
void check_data(const Dataset& data, const Layout& layout);

/// The name of the observed layer that takes a row's class, as one-hot columns.
inline constexpr std::string_view label_layer = "label";
/// How many observed columns stand before that layer; nothing where the model has none.
std::optional<Index> label_place(const Layout& layout);
/// How many columns it has; 0 where the model has none.
Index label_columns(const Layout& layout);
/// The data as the model observes it: columns of states one-hot (state_columns.hpp), and with its labels as columns where the
/// model has a layer for them and the rows do not hold them already. Throws as check_data does, and where such labels are
/// wanted and absent or of other classes.
Dataset fitted(const Dataset& data, const Layout& layout);

/// Whether every value of the data is a state of its unit, so that rows have a probability. Where not (gray values of
/// binary units), values are taken as means.
bool has_probability(const Dataset& data, const Layout& layout);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
