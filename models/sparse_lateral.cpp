#include <harmonium/models/sparse_lateral.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include <harmonium/models/graph_coloring.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

namespace {

/// Whether two pairs have the same entry, which is where they lie in their tensor.
bool some_twice(const std::vector<CoupledColumns>& pairs) {
  std::vector<Index> entries(pairs.size());
  std::ranges::transform(pairs, entries.begin(), &CoupledColumns::entry);
  std::ranges::sort(entries);
  return std::ranges::adjacent_find(entries) != entries.end();
}

}  // namespace

SparseLateral::SparseLateral(const std::vector<CoupledColumns>& pairs, Index columns, Index width)
    : units_(columns / width), begin_(columns + 1, 0), shares_entries_(some_twice(pairs)) {
  struct Entry {
    std::uint32_t column, neighbor;
    Index entry;
  };
  std::vector<Entry> both_ways;
  both_ways.reserve(2 * pairs.size());
  for (const CoupledColumns& p : pairs) {
    both_ways.push_back({p.a, p.b, p.entry});
    both_ways.push_back({p.b, p.a, p.entry});
  }
  std::ranges::sort(both_ways, {}, [](const Entry& e) { return std::pair(e.column, e.neighbor); });
  for (const Entry& e : both_ways) {
    ++begin_[e.column + 1];
    neighbor_.push_back(e.neighbor);
    entry_.push_back(e.entry);
    std::vector<std::uint32_t>& near = units_[e.column / width];
    const auto other = static_cast<std::uint32_t>(e.neighbor / width);
    if (std::ranges::find(near, other) == near.end()) near.push_back(other);
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  value_.resize(neighbor_.size());
  for (const std::vector<Index>& c : color_graph(units_)) {
    for (const Index u : c) order_.push_back(static_cast<std::uint32_t>(u));
    class_end_.push_back(order_.size());
  }
}

void SparseLateral::add_neighbors(Neighbors& neighbors) const {
  for (Index u = 0; u < units_.size(); ++u)
    for (const std::uint32_t other : units_[u])
      if (std::ranges::find(neighbors[u], other) == neighbors[u].end()) neighbors[u].push_back(other);
}

void SparseLateral::refresh(const Real* entries) {
  std::ranges::transform(entry_, value_.begin(), [&](Index e) { return entries[e]; });
}

SparseCoupling<Real> SparseLateral::view() const {
  return {order_.data(), class_end_.data(), class_end_.size(), begin_.data(), neighbor_.data(), value_.data()};
}

void SparseLateral::subtract_from(MatrixView<double> out) const {
  for (Index c = 0; c < out.rows; ++c)
    for (Index e = begin_[c]; e < begin_[c + 1]; ++e) out(c, neighbor_[e]) -= static_cast<double>(value_[e]);
}

void SparseLateral::mirror(MatrixRef out) const {
  for (Index c = 0; c < out.rows; ++c)
    for (Index e = begin_[c]; e < begin_[c + 1]; ++e)
      if (neighbor_[e] > c) out(neighbor_[e], c) = out(c, neighbor_[e]);
}

void SparseLateral::subtract_pairs(double factor, MatrixView<const double> m, std::span<Real> entries) const {
  std::vector<double> sums(entries.size(), 0.0);
  for (Index c = 0; c < m.rows; ++c)
    for (Index e = begin_[c]; e < begin_[c + 1]; ++e)
      if (neighbor_[e] > c) sums[entry_[e]] += m(c, neighbor_[e]);
  std::ranges::transform(sums, entries, entries.begin(),
                         [factor](double sum, Real entry) { return entry - static_cast<Real>(factor * sum); });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
