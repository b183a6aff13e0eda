// Clusters of units of several states that want to be alike, each given any of the states (Swendsen & Wang 1987 for Potts models).
#include <algorithm>
#include <cmath>
#include <numeric>

#include <harmonium/samplers/clusters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void ClusterRows::recolor(const DrawBlock& block, Index count) {
  for (Index k = 0; k < count; ++k) {
    std::iota(rows_[k].parent.begin(), rows_[k].parent.end(), 0u);
    std::ranges::copy(rows_[k].at->single, rows_[k].field.begin());
  }
  for (Index p = 0; p < plan_.parts.size(); ++p)
    with_words(
        block, count, static_cast<std::uint32_t>(pairs_draw + 2 * p + 1), plan_.parts[p].pairs.size(),
        [&](Row& row, Index first, Index n, const std::uint32_t* words) { join_alike(row, p, first, n, words); });
  for (Index k = 0; k < count; ++k) add_totals_of_states(rows_[k]);
  with_words(block, count, turn_draw, plan_.units.size(),
             [&](Row& row, Index first, Index n, const std::uint32_t* words) { color(row, first, n, words); });
}

void ClusterRows::join_alike(Row& row, Index part, Index first, Index count, const std::uint32_t* words) const {
  const PairBonds::Table* const pairs = &plan_.parts[part].pairs[first];
  const double* const alike = &plan_.alike[part][first];
  const std::uint32_t* const thresholds = &row.at->thresholds[part][first];
  const double factor = row.at->factors[part];
  const Index q = plan_.units.most_states;
  for (Index i = 0; i < count; ++i) {
    const std::uint32_t a = pairs[i].a, b = pairs[i].b;
    if (row.held[a] != row.held[b]) {
      const std::uint32_t free = row.held[a] ? b : a, held = row.held[a] ? a : b;
      row.field[free * q + row.state[held]] += factor * alike[i];
    } else if (!row.held[a] && row.state[a] == row.state[b] && words[i] < thresholds[i]) {
      row.join(a, b);
    }
  }
}

/// Parents are roots afterwards: a parent comes before its units.
void ClusterRows::add_totals_of_states(Row& row) const {
  const Index q = plan_.units.most_states;
  for (Index u = 0; u < plan_.units.size(); ++u) {
    const std::uint32_t root = row.parent[u] = row.parent[row.parent[u]];
    double* const total = &row.total[root * q];
    const double* const field = &row.field[u * q];
    if (root == u) std::copy_n(field, q, total);
    else
      for (Index s = 0; s < q; ++s) total[s] += field[s];
  }
}

void ClusterRows::color(Row& row, Index first, Index count, const std::uint32_t* words) const {
  const Index q = plan_.units.most_states;
  for (Index u = first; u < first + count; ++u) {
    if (row.held[u]) continue;
    if (const std::uint32_t root = row.parent[u]; root != u) {
      row.state[u] = row.state[root];
      continue;
    }
    double* const weight = &row.total[u * q];
    const double largest = *std::max_element(weight, weight + q);
    double sum = 0.0;
    for (Index s = 0; s < q; ++s) sum += weight[s] = std::exp(weight[s] - largest);
    double rest = uniform_f64(words[u - first]) * sum;
    Index s = 0;
    while (s + 1 < q && rest >= weight[s]) rest -= weight[s++];
    row.state[u] = static_cast<std::uint32_t>(s);
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
