#pragma once

#include <optional>

#include <harmonium/framework/model/layout.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What values of a layer, rows × its columns, must be.
enum class Domain : std::uint8_t {
  states,   ///< states of its units
  interval  ///< within the interval of its units, as data are
};

/// Whether a unit of one column takes `value`, or, where its states are finite, a value between them, as data may.
bool takes(const UnitType& unit, double value);

/// Whether its values are whole numbers without an end, which have probabilities and no density.
bool takes_counts(const UnitType& unit);

/// Whether it is normal given the others: any number, with a precision and no base measure.
bool is_normal(const UnitType& unit);

/// The first row of `values` that is none; nothing where all are.
std::optional<Index> first_outside(const Layer& layer, ConstMatrixRef values, Domain domain);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
