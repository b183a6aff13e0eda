#include <harmonium/models/sparse_lateral.hpp>

#include <algorithm>

#include <harmonium/models/graph_coloring.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

SparseLateral::SparseLateral(MatrixView<const std::uint8_t> mask, Index width) : units_(mask.rows / width) {
  for (Index c = 0; c < mask.rows; ++c) {
    begin_.push_back(neighbor_.size());
    for (Index j = 0; j < mask.cols; ++j) {
      if (mask(c, j) == 0) continue;
      neighbor_.push_back(static_cast<std::uint32_t>(j));
      std::vector<std::uint32_t>& near = units_[c / width];
      const auto other = static_cast<std::uint32_t>(j / width);
      if (std::ranges::find(near, other) == near.end()) near.push_back(other);
    }
  }
  begin_.push_back(neighbor_.size());
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

void SparseLateral::refresh(ConstMatrixRef coupling) {
  for (Index c = 0; c + 1 < begin_.size(); ++c)
    for (Index e = begin_[c]; e < begin_[c + 1]; ++e) value_[e] = coupling(c, neighbor_[e]);
}

SparseCoupling<Real> SparseLateral::view() const {
  return {order_.data(), class_end_.data(), class_end_.size(), begin_.data(), neighbor_.data(), value_.data()};
}

void SparseLateral::add_quadratic_forms(double factor, MatrixView<const double> x, std::span<double> out) const {
  for (Index r = 0; r < x.rows; ++r) {
    const double* const row = x.row(r);
    double sum = 0.0;
    for (Index c = 0; c < x.cols; ++c) {
      double field = 0.0;
      for (Index e = begin_[c]; e < begin_[c + 1]; ++e) field += row[neighbor_[e]] * static_cast<double>(value_[e]);
      sum += field * row[c];
    }
    out[r] += 0.5 * factor * sum;
  }
}

// In double, for the reason of `weighted_sums` in terms/outer_products.hpp.
void SparseLateral::add_gradient(ConstMatrixRef x, std::span<const double> weights, Index begin, Index end,
                                 MatrixRef out) const {
  const Index first = begin_[begin];
  std::vector<double> sums(begin_[end] - first, 0.0);
  for (Index r = 0; r < x.rows; ++r) {
    const Real* const row = x.row(r);
    const auto weight = static_cast<Real>(weights[r]);
    for (Index c = begin; c < end; ++c) {
      const Real weighted = weight * row[c];
      if (weighted == 0) continue;
      for (Index e = begin_[c]; e < begin_[c + 1]; ++e)
        if (neighbor_[e] > c) sums[e - first] += static_cast<double>(weighted * row[neighbor_[e]]);
    }
  }
  for (Index c = begin; c < end; ++c)
    for (Index e = begin_[c]; e < begin_[c + 1]; ++e)
      if (neighbor_[e] > c) out(c, neighbor_[e]) -= static_cast<Real>(sums[e - first]);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
