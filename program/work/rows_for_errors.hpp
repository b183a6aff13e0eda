#pragma once

#include <vector>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/program/work/zero_sum_directions.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What standard errors of parameters take of rows.
struct RowsForErrors {
  Index least = 0;    ///< rows, of which fewer are too few
  Index of_unit = 0;  ///< parameters in the law of that unit given the others that asks for the most rows
};

/// Of an objective that is a sum over units, as the pseudo likelihood, four rows to each parameter in the law of one unit given the others,
/// and as many fewer of a unit of q states as a row tells q − 1 numbers of it. H is a sum of the curvatures of these laws, regressions of one
/// unit on the others, which go wrong by some (parameters of one) / rows: errors of 12 spins with 78 parameters and of 24 with 300
/// are both 0.93 of the spread of fits at 8 rows a parameter of one unit, 0.78 at 4. Rows fewer than all parameters leave the covariance S of
/// gradients singular, which is not inverted. `directions`: of the parameters without gauge, in the numbers `numbers`.
RowsForErrors rows_for_errors(const EnergyModel& model, const std::vector<Places>& numbers,
                              const std::vector<Direction>& directions);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
