#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/program/evaluation_words.hpp>
#include <harmonium/program/work/findings.hpp>

namespace harmonium {
inline namespace v1 {

// What stands behind the figures of `evaluate`, in each of its tables.

/// Of a stack.
inline constexpr const char* first_machine_unit = "nats a sample, the log likelihood of the first machine alone";

/// Of rows whose sums over latent units are none that is taken, and of a stack.
inline constexpr const char* bound_unit = "nats a sample, a lower bound";

/// Of classes that are told of some rows alone.
inline constexpr const char* classified_unit =
    "rows whose class is told; others have none, or lack more than can be summed over";

/// Of what --clamp leaves free.
inline constexpr const char* conditional_unit = "nats a sample, of what is free given the rest of its row";
inline constexpr const char* conditioned_unit = "rows of these; of the others nothing that is free was seen";
inline constexpr const char* conditional_jacobian_unit =
    "nats a sample, to be added to log_conditional for the data's own units";
inline constexpr const char* conditional_error_unit = "nats, standard error of log_conditional over rows";

/// A number of rows that a figure is of.
using NumRows = std::optional<std::uint64_t> Evaluation::*;

/// Whether these are some of the rows, and not all.
inline bool of_some(const Evaluation& e, NumRows count) { return e.*count && e.*count != e.num_samples; }

/// Of a log likelihood.
inline constexpr const char* rows_error_unit = "nats, standard error over rows of log_likelihood";
inline constexpr const char* accuracy_error_unit = "standard error of accuracy over rows";
inline constexpr const char* label_error_unit = "nats, standard error of label_log_likelihood over rows";

inline constexpr const char* pseudo_with_label = "nats a sample, its label among the units";
inline constexpr const char* with_label = "nats a sample and its label together";

/// A name and its first value, in 42 columns: a longer name has some of the value's.
inline std::string named_cell(std::string_view name, const std::string& value) {
  return fmt::format("{:<24}{:>{}}", name, value, name.size() > 24 ? 42 - name.size() : 18);
}

/// The free energy of a row is -log of a sum over exp(-beta E).
inline std::string free_energy_unit(double beta) {
  return beta == 1.0 ? "nats, mean" : "nats, mean, beta times an energy";
}

/// At which temperature the figures are, where that is not 1.
inline std::string head_of(double beta) { return beta == 1.0 ? "" : beta_words(beta) + "\n\n"; }

}  // namespace v1
}  // namespace harmonium
