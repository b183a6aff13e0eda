#pragma once

#include <span>
#include <string>
#include <vector>

#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/model/layout.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A unit of a row, whose columns stand side by side.
struct UnitOfRow {
  Index first_column, width;
  bool of_class;

  /// Its state, counted from 0, of a unit of several columns, which are one-hot; of others its value.
  Real state(std::span<const Real> row) const;
};

/// The units of a row of all observed columns.
std::vector<UnitOfRow> observed_units(const Layout& layout);
/// The same with those of latent layers behind them.
std::vector<UnitOfRow> units_observed_first(const Layout& layout);

/// Whether the states of all of them are bytes.
bool have_byte_states(const std::vector<UnitOfRow>& units);
/// The states of a row as fields of a line of CSV; those of classes by their words, where there are any.
std::vector<std::string> state_fields(const std::vector<UnitOfRow>& units, std::span<const Real> row,
                                      const std::vector<std::string>& class_words);
/// What the columns of observed units' states are called, that of classes among them.
std::vector<std::string> names_of_state_columns(const ModelHeader& header, const Layout& layout);

/// Throws ConfigError where rows of the observed layers, with the latent ones or without, cannot be written as states: of a model without units of several states
/// whose columns are one-hot, of a table, or to a file of another kind than .npy and .csv, which `option` names.
void check_states(const ModelHeader& header, const Layout& layout, LayerSet layers, const std::string& output,
                  const char* option);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
