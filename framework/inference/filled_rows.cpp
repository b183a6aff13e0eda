#include <harmonium/framework/inference/filled_rows.hpp>

#include <algorithm>
#include <functional>

#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// One way to fill in a row.
struct FilledRow {
  Index row, way;
};

/// Rows as they are seen, each filled in the way that it names: the digits of that number, the first hole's first, are the holes'
/// states.
Chains filled(const Layout& layout, const Chains& rows, const HeldMask& seen, std::vector<FilledRow> which) {
  Chains all(layout, which.size());
  std::vector<Index> sources(which.size());
  std::ranges::transform(which, sources.begin(), &FilledRow::row);
  const HeldMask held = seen.of_rows(sources);
  for (const LayerId l : layout.ids(layout.observed())) {
    const ConstMatrixRef from = rows.read(l);
    const MatrixRef to = all.write(l);
    for (Index i = 0; i < which.size(); ++i) std::ranges::copy(from[which[i].row], to.row(i));
    const UnitStates states(*layout[l].unit);
    for_each_hole(held, l, layout[l].size, which.size(), [&](Index i, Index u) {
      std::ranges::copy(states[which[i].way % states.size()], to.row(i) + u * layout[l].unit->width());
      which[i].way /= states.size();
    });
  }
  return all;
}

}  // namespace

void for_each_way(const EnergyModel& model, const Chains& rows, const HeldMask& seen, std::span<const Index> which,
                  std::span<const double> ways, double beta, const Executor& executor,
                  FunctionRef<void(const FilledRows&)> body) {
  std::vector<FilledRow> filled_rows;
  std::vector<Index> places;
  for (Index at = 0, way = 0; at < which.size();) {
    filled_rows.clear();
    places.clear();
    while (at < which.size() && filled_rows.size() < filled_at_once) {
      filled_rows.push_back({which[at], way});
      places.push_back(at);
      if (static_cast<double>(++way) < ways[which[at]]) continue;
      ++at;
      way = 0;
    }
    const Chains all = filled(model.layout(), rows, seen, filled_rows);
    std::vector<double> log_weights = free_energies(model, all, beta, executor);
    std::ranges::transform(log_weights, log_weights.begin(), std::negate());
    body({all, places, log_weights});
    executor.check_stop();
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
