#include <harmonium/framework/files/coupling_matrix.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

void check_finite_coupling(const Table& table, Index row, Index column, const std::filesystem::path& path) {
  if (const double entry = table.at(row, column); !std::isfinite(entry))
    throw DataError(
        fmt::format("{}: row {}, column {} (both counted from 0) is {}: not a finite number, as couplings are. Write 0 "
                    "where two units do not couple.",
                    path.string(), row, column, entry));
}

/// The entry of a pair, which may stand in either triangle or in both.
double coupling_of(const Table& table, Index i, Index j, double rounding, const std::filesystem::path& path) {
  const double above = table.at(i, j), below = table.at(j, i);
  check_finite_coupling(table, i, j, path);
  check_finite_coupling(table, j, i, path);
  if (below == 0.0) return above;
  if (above == 0.0) return below;
  if (std::abs(above - below) <= rounding) return 0.5 * above + 0.5 * below;
  throw DataError(fmt::format(
      "{}: row {}, column {} (both counted from 0) is {} and row {}, column {} is {}: a matrix of couplings is "
      "symmetric, to {:g} of its largest entry, or one of its triangles is 0. Where both are meant, take (J + J^T) / "
      "2.",
      path.string(), i, j, above, j, i, below, most_asymmetry));
}

/// Couplings J[unit, state, unit, state], or with the states last, have several numbers a pair of units.
void check_no_states(const Table& table, const std::filesystem::path& path) {
  const std::vector<Index>& n = table.shape;
  if (n.size() != 4) return;
  const bool in_order = n[0] == n[2] && n[1] == n[3], states_last = n[0] == n[1] && n[2] == n[3];
  if (!in_order && !states_last) return;
  const std::string found = fmt::format("{}: it has shape ({}), as couplings of units of several states have",
                                        path.string(), fmt::join(n, ", "));
  throw DataError(fmt::format(
      "{}, and one number a pair of units is read. Say in a configuration what the units are, and put the couplings "
      "into an archive of arrays that are called as its tensors, for 'harmonium import CONFIG.toml --parameters "
      "FILE.npz': {}.",
      found, order_of_state_couplings(n[0], in_order ? n[1] : n[2])));
}

}  // namespace

std::string order_of_state_couplings(Index units, Index states) {
  const Index columns = units * states;
  std::string words = fmt::format(
      "rows and columns in the order unit*{0} + state: of J[unit, unit, state, state] take J.transpose(0, 2, 1, "
      "3).reshape({1}, {1})",
      states, columns);
  if (units == states) words += fmt::format(", of J[unit, state, unit, state] J.reshape({0}, {0})", columns);
  return words;
}

EdgeList read_coupling_matrix(const std::filesystem::path& path) {
  return graph_of_couplings(read_table(path.string()), path);
}

EdgeList graph_of_couplings(const Table& table, const std::filesystem::path& path) {
  check_no_states(table, path);
  if (table.rows != table.cols)
    throw DataError(
        fmt::format("{}: it has {} x {} numbers. Couplings are a square matrix, or a list of edges 'i j w': two nodes, "
                    "which are whole numbers, and their coupling, as text or as an array of N x 3.",
                    path.string(), table.rows, table.cols));
  const double rounding = most_asymmetry * largest_entry(table);
  EdgeList graph{.num_nodes = table.rows};
  for (Index i = 0; i < table.rows; ++i) {
    check_finite_coupling(table, i, i, path);
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
