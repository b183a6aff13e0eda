#include <harmonium/framework/model/zero_sum_gauge.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Columns that are the states of one unit; others are numbers of their own.
Index columns_in_gauge(const UnitType& unit) { return has_gauge(unit) ? unit.width() : 1; }

/// Fields of all layers, as their units' columns stand, and what couplings take from them.
class MovedFields {
 public:
  explicit MovedFields(const Layout& layout) : layout_(layout) {
    for (const Layer& layer : layout.layers()) columns_.emplace_back(layer.columns(), 0.0);
  }
  void add(LayerId layer, Index first, const std::vector<double>& more) {
    for (Index c = 0; c < more.size(); ++c) {
      of(layer)[first + c] += more[c];
      largest_ = std::max(largest_, std::abs(more[c]));
    }
  }
  /// Adds them to the biases, whose states then sum to zero.
  void write(const ParameterLayout& parameters, std::span<Real> theta) {
    for (const ParameterBlock& block : parameters.blocks()) {
      if (block.role != ParameterRole::bias) continue;
      const LayerId id = block.layers[0];
      std::vector<double>& fields = of(id);
      for (Index c = 0; c < fields.size(); ++c) fields[c] += static_cast<double>(theta[block.offset + c]);
      if (has_gauge(*layout_[id].unit)) center(fields, layout_[id].unit->width());
      for (Index c = 0; c < fields.size(); ++c) theta[block.offset + c] = static_cast<Real>(fields[c]);
      fields.assign(fields.size(), 0.0);
    }
    for (const LayerId id : layout_.ids()) refuse_left(id);
  }

 private:
  std::vector<double>& of(LayerId layer) { return columns_[static_cast<Index>(layer)]; }
  static void center(std::span<double> fields, Index width) {
    for (; !fields.empty(); fields = fields.subspan(width)) {
      const std::span<double> unit = fields.first(width);
      const double mean = std::reduce(unit.begin(), unit.end(), 0.0) / static_cast<double>(width);
      for (double& h : unit) h -= mean;
    }
  }
  void refuse_left(LayerId id) {
    if (has_gauge(*layout_[id].unit)) center(of(id), layout_[id].unit->width());
    const double rounding = 1e-12 * largest_ * static_cast<double>(of(id).size());
    if (std::ranges::all_of(of(id), [&](double h) { return std::abs(h) <= rounding; })) return;
    throw CapabilityError(fmt::format(
        "layer '{}' has no biases, and in the zero-sum gauge its units have fields. Set bias = true of the layer.",
        layout_[id].name));
  }

  const Layout& layout_;
  std::vector<std::vector<double>> columns_;
  double largest_ = 0.0;  ///< of what was added
};

/// Brings the couplings of units of two layers, or of one, into the gauge.
void center_couplings(const Layout& layout, const ParameterBlock& block, MatrixRef w, MovedFields& fields) {
  const LayerId a = block.layers[0], b = block.layers[1];
  const Index rows = columns_in_gauge(*layout[a].unit), cols = columns_in_gauge(*layout[b].unit);
  const bool own = block.symmetry != Symmetry::none;
  for (Index i = 0; i < w.rows; i += rows)
    for (Index j = own ? i + rows : 0; j < w.cols; j += cols) {
      const MatrixRef pair = w.slice(i, i + rows).columns(j, j + cols);
      const ZeroSum made = zero_sum(pair);
      fields.add(a, i, made.row);
      fields.add(b, j, made.column);
      for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < cols; ++c) {
          const auto value = static_cast<Real>(made.coupling[r * cols + c]);
          if (block.mask && (*block.mask)[(i + r) * w.cols + j + c] == 0 && value != 0)
            throw CapabilityError(fmt::format(
                "in the zero-sum gauge '{}' has couplings that its mask leaves out. Such a model has no form in it, as "
                "masks there are of whole pairs of units.",
                block.name));
          pair(r, c) = value;
          if (own) w(j + c, i + r) = value;
        }
    }
}

}  // namespace

ZeroSum zero_sum(ConstMatrixRef coupling) {
  const Index rows = coupling.rows, cols = coupling.cols;
  const auto of_rows = static_cast<double>(rows), of_cols = static_cast<double>(cols);
  std::vector<double> row(rows), column(cols), result(rows * cols);
  double all = 0.0;
  for (Index a = 0; a < rows; ++a)
    for (Index b = 0; b < cols; ++b) {
      const auto value = static_cast<double>(coupling(a, b));
      row[a] += value / of_cols;
      column[b] += value / of_rows;
      all += value / (of_rows * of_cols);
    }
  // One column is the unit's value, and no state.
  if (cols == 1) std::ranges::fill(row, 0.0);
  if (rows == 1) std::ranges::fill(column, 0.0);
  if (cols == 1 || rows == 1) all = 0.0;
  for (Index a = 0; a < rows; ++a)
    for (Index b = 0; b < cols; ++b)
      result[a * cols + b] = static_cast<double>(coupling(a, b)) - row[a] - column[b] + all;
  return {std::move(result), std::move(row), std::move(column)};
}

bool has_gauge(const UnitType& unit) {
  const Index width = unit.width();
  if (width == 1 || unit.num_states() == 0) return false;
  std::vector<Real> values(unit.num_states() * width);
  const MatrixRef states{values.data(), unit.num_states(), width, width};
  unit.states(states);
  const auto others = static_cast<std::ptrdiff_t>(width) - 1;
  for (Index s = 0; s < states.rows; ++s)
    if (std::ranges::count(states[s], Real{1}) != 1 || std::ranges::count(states[s], Real{0}) != others) return false;
  return true;
}

void set_zero_sum_gauge(EnergyModel& model) {
  const Layout& layout = model.layout();
  const ParameterLayout& parameters = model.parameter_layout();
  model.update_parameters([&](std::span<Real> theta) {
    MovedFields fields(layout);
    for (Index k = 0; k < parameters.blocks().size(); ++k)
      if (parameters[k].role == ParameterRole::coupling)
        center_couplings(layout, parameters[k], parameters.view(k, theta.data()), fields);
    fields.write(parameters, theta);
  });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
