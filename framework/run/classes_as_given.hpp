#pragma once

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/model/layout.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Rows that hold the columns of classes already, as samples of a model with labels do, of a [data] table that makes bits: those of the
/// other columns alone, and classes as the file has them, states or their probabilities. `data`: the rows with bits made of all columns.
/// `load`: reads the rows of a table again; called where there are such columns. Throws ConfigError where bits would be drawn anew
/// each epoch, of the classes too.
Dataset with_classes_as_given(const Dataset& data, const Value& source, const Layout& layout,
                              FunctionRef<Dataset(const Value& source)> load);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
