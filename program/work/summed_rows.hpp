#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/program/work/findings.hpp>
#include <harmonium/program/work/judged_rows.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What a model offers of rows whose sums are exact.
struct Offers {
  bool free_energy, likelihood, labels, pseudo, reconstruction;
};

/// Puts figures of the rows `which` in a column of all.
template <class T>
void put_rows(std::vector<T>& column, const std::vector<T>& values, std::span<const Index> which) {
  for (Index i = 0; i < which.size(); ++i) column[which[i]] = values[i];
}

/// Sets the figures that are means over `rows`, whose sums are exact, and returns the mean free energy. Those of each row go to
/// `table`, where it is not null.
double judge_summed(const EvaluateRequest& request, const EnergyModel& model, const Dataset& data,
                    std::span<const Index> rows, const Offers& offers, const Execution& execution, Evaluation& result,
                    RowTable* table);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
