#include <harmonium/framework/inference/rows_with_holes.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// body(row, unit) for the units of a layer that are not seen.
template <class Body>
void for_each_hole(const HeldMask& seen, LayerId layer, Index units, Index rows, const Body& body) {
  if (seen.holds(layer)) return;
  const MatrixView<const std::uint8_t> held = seen.units(layer, 0, rows);
  for (Index r = 0; r < rows; ++r)
    for (Index u = 0; u < units; ++u)
      if (held.empty() || held(r, u) == 0) body(r, u);
}

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

std::vector<double> completions(const Layout& layout, const HeldMask& seen, Index rows) {
  std::vector<double> ways(rows, 1.0);
  for (const LayerId l : layout.ids(layout.observed())) {
    const Index states = layout[l].unit->num_states();
    for_each_hole(seen, l, layout[l].size, rows, [&](Index r, Index) {
      ways[r] *= states > 0 ? static_cast<double>(states) : std::numeric_limits<double>::infinity();
    });
  }
  return ways;
}

std::vector<double> free_energies_of_seen(const EnergyModel& model, const Chains& rows, const HeldMask& seen,
                                          double beta, const Executor& executor) {
  const Layout& layout = model.layout();
  const std::vector<double> ways = completions(layout, seen, rows.size());
  for (Index r = 0; r < ways.size(); ++r)
    if (ways[r] > most_completions)
      throw CapabilityError(fmt::format("row {} can be filled in in {:g} ways, and at most {:g} are summed over.", r,
                                        ways[r], most_completions));
  std::vector<LogSumExp> sums(rows.size());
  auto left = static_cast<Index>(std::accumulate(ways.begin(), ways.end(), 0.0));
  std::vector<FilledRow> which;
  for (FilledRow next{0, 0}; left > 0; left -= which.size()) {
    which.clear();
    for (Index n = std::min(left, filled_at_once); n > 0; --n) {
      which.push_back(next);
      if (static_cast<double>(++next.way) == ways[next.row]) next = {next.row + 1, 0};
    }
    const std::vector<double> energies = free_energies(model, filled(layout, rows, seen, which), beta, executor);
    for (Index i = 0; i < which.size(); ++i) sums[which[i].row].add(-energies[i]);
    executor.check_stop();
  }
  std::vector<double> energies(rows.size());
  std::ranges::transform(sums, energies.begin(), [](const LogSumExp& sum) { return -sum.value(); });
  return energies;
}

double operations_of_seen(const EnergyModel& model, const HeldMask& seen, Index rows) {
  const std::vector<double> ways = completions(model.layout(), seen, rows);
  if (std::ranges::any_of(ways, [](double w) { return w > most_completions; }))
    return std::numeric_limits<double>::infinity();
  return std::accumulate(ways.begin(), ways.end(), 0.0) * free_energy_operations(model);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
