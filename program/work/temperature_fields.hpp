#pragma once

#include <optional>
#include <string>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {

/// The first columns of every table of `observe`, and their names: either alone is read the wrong way round.
inline constexpr const char* temperature_names = "beta,temperature";

/// T = 1/β; nothing at β = 0.
inline std::optional<double> temperature_of(double beta) {
  return beta == 0.0 ? std::nullopt : std::optional(1.0 / beta);
}

/// "0.5,2", or "0," at infinite temperature. Of 15 digits T is what --temperatures named.
inline std::string temperature_fields(double beta) {
  const std::optional<double> t = temperature_of(beta);
  return t ? fmt::format("{},{:.15g}", beta, *t) : fmt::format("{},", beta);
}

}  // namespace v1
}  // namespace harmonium
