#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <harmonium/program/paired_difference.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace v1 {

inline constexpr std::size_t paired_table_width = 1000;  // no table of so few columns is turned on its side

/// What two models are called: as they were given. And the inverse temperature of each.
struct PairedNames {
  std::string one, other;
  double beta = 1.0, other_beta = 1.0;
};

/// The line above a table that says at which inverse temperature each is: "both at beta = 1".
std::string paired_head(const PairedNames& names);
/// The first members of an object of JSON: what the models are called, and the inverse temperature of each.
std::string paired_members(const PairedNames& names);

/// Judges the model of the request and another, at its own inverse temperature and maybe of another precision, by the same rows: those of --data, or of each
/// part of their runs' data; with `rows`, whose file then has both, of one part. Throws DataError where the rows are not the same of both.
std::vector<PairedRows> evaluate_paired(const EvaluateRequest& request, const std::string& other_model,
                                        const PairedNames& names);

std::string paired_text(const std::vector<PairedRows>& all, const PairedNames& names);
std::string paired_json(const std::vector<PairedRows>& all, const PairedNames& names);

}  // namespace v1
}  // namespace harmonium
