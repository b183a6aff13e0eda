#pragma once

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/data/sources.hpp>
#include <harmonium/framework/files/csv_names.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A [model] table that says no 'observed_layers', where its type has such an option, with those that the data source has, if it
/// knows of any.
Value with_observed_layers(Value model, const DataSource& source, const Registries& registries);
/// Throws ConfigError where 'observed_layers' of the [model] table are written out, and are not those of what the source now
/// reads.
void refuse_other_layers(const Dataset& data, const DataSource& source, const Value* model, const Layout& layout);
/// Throws ConfigError where the columns are those of samples with energies, and the model has one less.
void refuse_energies(const Dataset& data, const CsvNames& names, const Layout& layout);
/// What the columns of the rows are called; none where they have no names. `data`: the table that made the source.
CsvNames names_of_columns(const DataSource& source, const Value& data);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
