#include <harmonium/framework/files/coupling_matrix.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/edge_list_words.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// How far entries of a pair may be apart, in parts of the largest: what was computed, such as an inverse, or went through
/// single precision on one side alone, is symmetric up to rounding.
constexpr double most_asymmetry = 1e-6;

double largest_entry(const Table& table) {
  double largest = 0.0;
  for (Index i = 0; i < table.rows; ++i)
    for (Index j = 0; j < table.cols; ++j) largest = std::max(largest, std::abs(table.at(i, j)));
  return largest;
}

/// The entry of a pair, which may stand in either triangle or in both.
double coupling_of(const Table& table, Index i, Index j, double rounding, const std::filesystem::path& path) {
  const double above = table.at(i, j), below = table.at(j, i);
  const auto check = [&](double entry, Index row, Index column) {
    if (!std::isfinite(entry))
      throw DataError(
          fmt::format("{}: row {}, column {} (both counted from 0) is {}: couplings are finite numbers. Write 0 where "
                      "two units do not couple.",
                      path.string(), row, column, entry));
  };
  check(above, i, j);
  check(below, j, i);
  if (below == 0.0) return above;
  if (above == 0.0) return below;
  if (std::abs(above - below) <= rounding) return 0.5 * above + 0.5 * below;
  throw DataError(fmt::format(
      "{}: row {}, column {} (both counted from 0) is {} and row {}, column {} is {}: a matrix of couplings is "
      "symmetric, to {:g} of its largest entry, or one of its triangles is 0. Where both are meant, take (J + J^T) / "
      "2.",
      path.string(), i, j, above, j, i, below, most_asymmetry));
}

}  // namespace

EdgeList read_coupling_matrix(const std::filesystem::path& path) {
  return graph_of_couplings(read_table(path.string()), path);
}

EdgeList graph_of_couplings(const Table& table, const std::filesystem::path& path) {
  if (table.rows != table.cols)
    throw DataError(
        fmt::format("{}: it has {} x {} numbers. Couplings are a square matrix, or a list of edges 'i j w' as text "
                    "(numpy.savetxt).",
                    path.string(), table.rows, table.cols));
  const double rounding = most_asymmetry * largest_entry(table);
  EdgeList graph{.num_nodes = table.rows};
  for (Index i = 0; i < table.rows; ++i) {
    if (table.at(i, i) != 0.0)
      throw DataError(
          fmt::format("{}: row {} (counted from 0) couples a unit with itself, by {}. Of spins, whose square is 1, "
                      "that is a constant: put 0 in its place; {}.",
                      path.string(), i, table.at(i, i), advice_on_fields));
    for (Index j = i + 1; j < table.cols; ++j)
      if (const double coupling = coupling_of(table, i, j, rounding, path); coupling != 0.0)
        graph.edges.push_back({i, j, coupling});
  }
  return graph;
}

}  // namespace v1
}  // namespace harmonium
