#include <harmonium/framework/inference/leading_modes.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include <xtensor-blas/xlinalg.hpp>
#include <xtensor/xview.hpp>

#include <harmonium/framework/core/blas.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index widest_side = 3000;  // of a matrix whose singular vectors are found in seconds
constexpr Index modes_kept = 10, modes_of_cells = 3;

/// Whether rows and columns of a coupling are the columns of two layers, or of one: models of plugins may have others.
bool joins_two_layers(const ParameterBlock& b, const Layout& layout) {
  return b.role == ParameterRole::coupling && b.layers.size() == 2 && b.rows == layout[b.layers[0]].columns() &&
         b.cols == layout[b.layers[1]].columns() && b.cols > 1;
}

/// Of the tensors by the size that `size` gives them; nothing where that is 0 of all.
std::optional<Index> largest_of(const ParameterLayout& parameters,
                                const std::function<Index(const ParameterBlock&)>& size) {
  std::optional<Index> largest;
  for (Index n = 0; n < parameters.blocks().size(); ++n)
    if (size(parameters[n]) > (largest ? size(parameters[*largest]) : 0)) largest = n;
  return largest;
}

/// J of the units whose pairs are listed: symmetric, units × units.
Matrix<double> matrix_of_pairs(const ParameterBlock& block, const Real* theta, Index units) {
  Matrix<double> j = zeros<double>(units, units);
  for (const Edge& e : *block.edges) j(e.a, e.b) = j(e.b, e.a) = static_cast<double>(theta[block.offset + e.entry]);
  return j;
}

/// The places of eigenvalues, that of the largest absolute value first, and among those that are equal but for rounding the positive ones.
std::vector<Index> leading_order(const Vector<double>& eigenvalues) {
  constexpr double equal = 1e-9;  // of the largest; rounding leaves some 1e-13 of thousands
  std::vector<Index> order(eigenvalues.size());
  std::iota(order.rbegin(), order.rend(), Index{0});
  const auto size = [&](Index k) { return std::abs(eigenvalues(k)); };
  std::ranges::stable_sort(order, std::greater(), size);
  for (auto begin = order.begin(); begin != order.end();) {
    const double least = size(*begin) - equal * size(order.front());
    const auto end = std::find_if(begin, order.end(), [&](Index k) { return size(k) < least; });
    std::stable_partition(begin, end, [&](Index k) { return eigenvalues(k) > 0.0; });
    begin = end;
  }
  return order;
}

/// Vectors of units as such of columns: that of state s of a unit has s times the unit's number, which tells any two states apart.
Matrix<double> of_columns(const Matrix<double>& units, const Layer& layer) {
  const Index width = layer.unit->width();
  if (width == 1) return units;
  Matrix<double> columns = zeros<double>(layer.columns(), units.shape(1));
  for (Index c = 0; c < layer.columns(); ++c)
    xt::row(columns, static_cast<std::ptrdiff_t>(c)) =
        static_cast<double>(c % width) * xt::row(units, static_cast<std::ptrdiff_t>(c / width));
  return columns;
}

/// One number a row: its projection on column `mode` of `vectors`.
std::vector<double> along(const Chains& rows, LayerId layer, const Matrix<double>& vectors, Index mode) {
  const ConstMatrixRef x = rows.read(layer);
  std::vector<double> sums(x.rows, 0.0);
  for (Index r = 0; r < x.rows; ++r)
    for (Index c = 0; c < x.cols; ++c) sums[r] += vectors(c, mode) * static_cast<double>(x(r, c));
  return sums;
}

}  // namespace

LeadingModes::LeadingModes(const EnergyModel& model) {
  const Layout& layout = model.layout();
  const ParameterLayout& parameters = model.parameter_layout();
  std::optional<Index> largest =
      largest_of(parameters, [&](const ParameterBlock& b) { return joins_two_layers(b, layout) ? b.size() : 0; });
  const bool listed = !largest;
  if (listed)
    largest = largest_of(parameters, [](const ParameterBlock& b) {
      return b.role == ParameterRole::edges && b.edges ? b.edges->size() : 0;
    });
  if (!largest) return;
  const ParameterBlock& block = parameters[*largest];
  const Index rows = listed ? layout[block.layers[0]].size : block.rows, cols = listed ? rows : block.cols;
  const Index side = std::min(rows, cols);
  if (side > widest_side) return;
  coupling = block.name;
  first = block.layers[0];
  second = listed ? first : block.layers[1];
  smaller_is_first = rows <= cols;
  const BlasCall room;
  Matrix<double> w =
      listed ? matrix_of_pairs(block, model.parameters().data(), side)
             : Matrix<double>(xt::cast<double>(as_xtensor(parameters.view(*largest, model.parameters().data()))));
  if (!smaller_is_first) w = Matrix<double>(xt::transpose(w));
  // The singular vectors of a symmetric matrix to equal values, such as λ and −λ, are any of a plane; its eigenvectors are not.
  const bool symmetric = listed || block.symmetry == Symmetry::symmetric_zero_diagonal;
  const auto [values, vectors] = xt::linalg::eigh(symmetric ? w : Matrix<double>(xt::linalg::dot(w, xt::transpose(w))));
  const std::vector<Index> order = leading_order(values);
  const Index count = std::min(modes_kept, side);
  of_smaller = zeros<double>(side, count);
  for (Index k = 0; k < count; ++k) {
    const double value = values(order[k]);
    singular_values.push_back(symmetric ? std::abs(value) : std::sqrt(std::max(0.0, value)));
    for (Index c = 0; c < side; ++c) of_smaller(c, k) = vectors(c, order[k]);
  }
  if (listed) of_smaller = of_larger = of_columns(of_smaller, layout[first]);
  else of_larger = xt::linalg::dot(xt::transpose(w), of_smaller);
}

ModeOccupancy mode_occupancy(const LeadingModes& modes, const Layout& layout, const Chains& draws, const Chains& data) {
  ModeOccupancy found;
  if (modes.coupling.empty() || draws.size() == 0 || data.size() == 0) return found;
  const auto observed = [&](LayerId l) { return layout[l].role == Role::observed; };
  if (!observed(modes.first) && !observed(modes.second)) return found;
  const LayerId layer = observed(modes.first) ? modes.first : modes.second;
  const Matrix<double>& vectors = (layer == modes.first) == modes.smaller_is_first ? modes.of_smaller : modes.of_larger;
  while (found.num_modes < std::min<Index>(modes_of_cells, modes.singular_values.size()) &&
         modes.singular_values[found.num_modes] > 1e-6 * modes.singular_values[0])
    ++found.num_modes;
  if (found.num_modes == 0) return found;
  std::vector<Index> cell_of_data(data.size(), 0), cell_of_draws(draws.size(), 0);
  for (Index k = 0; k < found.num_modes; ++k) {
    const std::vector<double> places = along(data, layer, vectors, k);
    std::vector<double> sorted = places;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle);
    const auto mark = [&](const std::vector<double>& of, std::vector<Index>& cells) {
      for (Index r = 0; r < cells.size(); ++r) cells[r] |= of[r] >= *middle ? Index{1} << k : 0;
    };
    mark(places, cell_of_data);
    mark(along(draws, layer, vectors, k), cell_of_draws);
  }
  const auto shares = [&](const std::vector<Index>& cells) {
    std::vector<double> all(Index{1} << found.num_modes, 0.0);
    for (const Index c : cells) all[c] += 1.0 / static_cast<double>(cells.size());
    return all;
  };
  found.of_data = shares(cell_of_data);
  found.of_draws = shares(cell_of_draws);
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
