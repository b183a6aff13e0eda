#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/execution/display.hpp>
#include <harmonium/framework/model/layout.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What is odd about training a model of these observed layers on this data, which both allow: a sentence each, with what to
/// do. `data` is as the model observes it.
std::vector<std::string> data_remarks(const Dataset& data, const Layout& layout);

/// A sentence on the first value of rows, standardized as training rows were, that lies so far out that it decides the figures of
/// all rows alone; empty where there is none. `data` is as the model observes it.
std::string far_value_remark(const Dataset& data, const Layout& layout);

/// Tells that columns of the rows were read as states, where they were (framework/training/state_columns.hpp).
void tell_of_states(const Dataset& data, const Layout& layout, Display* display);
/// Tells that the rows are some of their file's at random, where `spec`, the [data] table by which they were read, has a number of rows or a
/// share of them.
void tell_of_rows_at_random(const Value& spec, const Dataset& data, Display* display);
/// How many rows have no class, of a model that observes labels.
Index rows_without_class(const Dataset& data, const Layout& layout);
/// " Give classes by --set data.labels=FILE.": how such rows of `source`, a [data] table, are given theirs. Empty where `options`, those
/// of the command, say where classes are, or the source takes none.
std::string way_to_give_classes(const Value& source, const Value& options, const Registries& registries);

/// Of rows that are bits drawn once of probabilities, by the configuration of the model's run; `given`: by --data, and not the run's own.
std::string drawn_bits_remark(const Value& config, bool given);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
