#include <harmonium/program/work/unseen_states.hpp>

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xtensor-blas/xlinalg.hpp>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/model/zero_sum_gauge.hpp>
#include <harmonium/framework/run/column_names.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index named_at_most = 5, rows_counted_at_once = 2048;

/// A state of a unit: what a column is then.
struct StateOfUnit {
  Index unit, column;
  Real value;
  std::string name;
  Index seen = 0;  ///< rows
};

bool has_own_entry(const ParameterBlock& block, Index row, Index column) {
  return !block.mask || (*block.mask)[row * block.cols + column] != 0;
}

/// A layer of the rows.
struct SeenLayer {
  const Layer& layer;
  ConstMatrixRef rows;
  std::span<const std::string> names;
  const ParameterBlock* bias;  ///< null: it has none

  /// Whether the unit has a bias of its own, not one with others.
  bool biased(Index column) const { return bias && !bias->uniform && has_own_entry(*bias, column, 0); }
};

/// The states that one column tells: one-hot ones, and those of units of two values, which are free where there is a bias.
std::vector<StateOfUnit> told_states(const SeenLayer& seen) {
  const Layer& layer = seen.layer;
  const UnitType& unit = *layer.unit;
  std::vector<StateOfUnit> all;
  if (has_gauge(unit)) {
    for (Index c = 0; c < layer.columns(); ++c)
      all.push_back({c / unit.width(), c, Real{1}, fmt::format("'{}'", seen.names[c])});
  } else if (unit.width() == 1 && unit.num_states() == 2) {
    std::vector<Real> values(2);
    unit.states({values.data(), 2, 1, 1});
    for (Index c = 0; c < layer.columns(); ++c)
      for (const Real value : values)
        if (seen.biased(c)) all.push_back({c, c, value, fmt::format("'{}' = {}", seen.names[c], value)});
  }
  for (Index r = 0; r < seen.rows.rows; ++r)
    for (StateOfUnit& s : all) s.seen += seen.rows(r, s.column) == s.value ? 1 : 0;
  return all;
}

/// In how many rows a state of the one and one of the other come together.
Matrix<double> together(const std::vector<StateOfUnit>& a, ConstMatrixRef rows_a, const std::vector<StateOfUnit>& b,
                        ConstMatrixRef rows_b) {
  const auto indicators = [](const std::vector<StateOfUnit>& states, ConstMatrixRef rows) {
    Matrix<double> is = zeros<double>(rows.rows, states.size());
    for (Index r = 0; r < rows.rows; ++r)
      for (Index s = 0; s < states.size(); ++s) is(r, s) = rows(r, states[s].column) == states[s].value ? 1.0 : 0.0;
    return is;
  };
  Matrix<double> sum = zeros<double>(a.size(), b.size());
  for (Index first = 0; first < rows_a.rows; first += rows_counted_at_once) {
    const Index end = std::min(first + rows_counted_at_once, rows_a.rows);
    const Matrix<double> is_a = indicators(a, rows_a.slice(first, end)), is_b = indicators(b, rows_b.slice(first, end));
    sum += xt::linalg::dot(xt::transpose(is_a), is_b);
  }
  return sum;
}

bool same_throughout(ConstMatrixRef rows, Index column) {
  for (Index r = 1; r < rows.rows; ++r)
    if (rows(r, column) != rows(0, column)) return false;
  return true;
}

/// What one layer tells of single units.
void add_unseen(const SeenLayer& seen, const std::vector<StateOfUnit>& states, UnseenStates& found) {
  const UnitType& unit = *seen.layer.unit;
  if (has_gauge(unit)) {
    for (const StateOfUnit& s : states) {
      if (!seen.biased(s.column)) continue;
      if (s.seen == 0) found.units.push_back(s.name + " is in no row");
      else if (s.seen == seen.rows.rows) found.units.push_back(s.name + " is in every row");
    }
    return;
  }
  for (Index c = 0; c < seen.layer.columns(); ++c)
    if (same_throughout(seen.rows, c)) {
      const bool endless = seen.biased(c) && unit.width() == 1 && unit.num_states() > 0;
      (endless ? found.units : found.constant)
          .push_back(fmt::format("'{}' is {} in every row", seen.names[c], seen.rows(0, c)));
    }
}

}  // namespace

UnseenStates unseen_states(const EnergyModel& model, const Chains& rows, const std::vector<std::string>& data_names) {
  const Layout& layout = model.layout();
  const std::vector<std::string> names = data_names.empty() ? names_of_units(layout, layout.observed()) : data_names;
  const PerLayer<Index> first = layout.first_columns(layout.observed());
  const std::vector<ParameterBlock>& blocks = model.parameter_layout().blocks();
  std::vector<std::vector<StateOfUnit>> states(layout.size());
  UnseenStates found;
  for (const LayerId id : layout.ids(layout.observed())) {
    const auto bias = std::ranges::find_if(blocks, [&](const ParameterBlock& block) {
      return block.role == ParameterRole::bias && block.layers[0] == id;
    });
    const SeenLayer seen{layout[id], rows.read(id), std::span(names).subspan(first[id], layout[id].columns()),
                         bias == blocks.end() ? nullptr : &*bias};
    std::vector<StateOfUnit>& of_layer = states[static_cast<Index>(id)];
    of_layer = told_states(seen);
    add_unseen(seen, of_layer, found);
  }
  for (const ParameterBlock& block : blocks) {
    if (block.role != ParameterRole::coupling) continue;
    const std::vector<StateOfUnit>&a = states[static_cast<Index>(block.layers[0])],
          &b = states[static_cast<Index>(block.layers[1])];
    if (a.empty() || b.empty()) continue;
    const Matrix<double> both = together(a, rows.read(block.layers[0]), b, rows.read(block.layers[1]));
    for (Index s = 0; s < a.size(); ++s)
      for (Index t = 0; t < b.size(); ++t) {
        if (block.symmetry != Symmetry::none && a[s].unit >= b[t].unit) continue;
        if (both(s, t) > 0 || a[s].seen == 0 || b[t].seen == 0 || !has_own_entry(block, a[s].column, b[t].column))
          continue;
        found.pairs.push_back(fmt::format("{} and {}", a[s].name, b[t].name));
      }
  }
  return found;
}

std::string named_briefly(const std::vector<std::string>& words) {
  const Index shown = std::min(words.size(), named_at_most);
  std::string text =
      fmt::format("{}", fmt::join(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < words.size()) text += fmt::format(" and {} more", words.size() - shown);
  return text;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
