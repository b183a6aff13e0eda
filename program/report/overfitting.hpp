#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/pictures/logged_curves.hpp>

namespace harmonium {
inline namespace v1 {

/// By how much training rows are better off than validation rows, in nats a row.
struct RowsGap {
  std::string figure;              ///< of which it is the gap
  double first = 0.0, last = 0.0;  ///< after the first and the last epoch that have both
  double error = 0.0;              ///< of `last`, over rows of both: one standard error
  bool grew = false;               ///< `last` is above 0, and above `first`, by more than three of these
};

/// Of the figures of rows with an error that training and validation rows both have, and of `free_energy_gap`: the first that grew,
/// or else the first. Rows of one law have a gap of 0 on average where none is learned by heart.
std::optional<RowsGap> gap_of_rows(const std::vector<LoggedCurve>& curves);

/// Whether the schedule of a whole run of `epochs` ends at less than a twentieth of the learning rate.
bool rate_ends_near_zero(const Value& config, double epochs);

}  // namespace v1
}  // namespace harmonium
