// What is summed over the couplings of a SparseLateral for many rows: the numbers of a column in several rows are put side by
// side, so that the inner loops run over rows.
#include <algorithm>
#include <array>

#include <harmonium/framework/model/tiling.hpp>
#include <harmonium/models/sparse_lateral.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index rows_side_by_side = 8;  // rows whose fields are found at once
constexpr Index rows_one_by_one = 3;    // rows that cost less one by one

template <class T>
using SideBySide = std::array<T, rows_side_by_side>;

/// Rows [first, first + rows_side_by_side) of x, the last one again where there are no more: a row to each number of a column.
template <class T>
void set_side_by_side(MatrixView<const T> x, Index first, std::vector<SideBySide<T>>& columns) {
  columns.resize(x.cols);
  std::array<const T*, rows_side_by_side> row{};
  for (Index k = 0; k < rows_side_by_side; ++k) row[k] = x.row(std::min(first + k, x.rows - 1));
  for (Index c = 0; c < x.cols; ++c)
    for (Index k = 0; k < rows_side_by_side; ++k) columns[c][k] = row[k][c];
}

/// Products of pairs of columns, of some rows at a time.
class PairProducts {
 public:
  /// Pairs whose first columns are [begin, end).
  PairProducts(ConstMatrixRef x, std::span<const double> weights, Index begin, Index end)
      : x_(x), weights_(weights), begin_(begin), width_(end - begin) {}

  /// The place of the second column b of a pair: among the first ones, or behind them.
  std::uint32_t place_of(std::uint32_t b) {
    if (b - begin_ < width_) return static_cast<std::uint32_t>(b - begin_);
    others_.push_back(b);
    return static_cast<std::uint32_t>(width_ + others_.size() - 1);
  }
  /// Takes rows [first, first + strip), or what there is of them.
  void take(Index first) {
    rows_ = std::min(strip, (x_.rows - first + rows_a_step - 1) / rows_a_step * rows_a_step);
    values_.resize((width_ + others_.size()) * strip);
    weighted_.resize(width_ * strip);
    constexpr Index quad = 4;
    for (Index k = 0; k < rows_; k += quad) {
      std::array<const Real*, quad> row{};
      std::array<Real, quad> w{};
      for (Index i = 0; i < quad; ++i) {
        const Index r = first + k + i;
        row[i] = x_.row(std::min(r, x_.rows - 1));
        w[i] = r < x_.rows ? static_cast<Real>(weights_[r]) : Real{0};
      }
      for (Index c = 0; c < width_; ++c)
        for (Index i = 0; i < quad; ++i) {
          const Real value = row[i][begin_ + c];
          values_[c * strip + k + i] = value;
          weighted_[c * strip + k + i] = w[i] * value;
        }
      for (Index o = 0; o < others_.size(); ++o)
        for (Index i = 0; i < quad; ++i) values_[(width_ + o) * strip + k + i] = row[i][others_[o]];
    }
  }
  /// Of the rows taken. In double but for four rows, for the reason of `weighted_sums` in terms/outer_products.hpp.
  double sum(Index a, Index place) const {
    const Real *const first = &weighted_[a * strip], *const second = &values_[place * strip];
    std::array<double, lanes> sums{};
    for (Index k = 0; k < rows_; k += rows_a_step)
      for (Index i = k; i < k + lanes; ++i) {
        const Real upper = first[i] * second[i] + first[i + lanes] * second[i + lanes];
        const Real lower = first[i + 2 * lanes] * second[i + 2 * lanes] + first[i + 3 * lanes] * second[i + 3 * lanes];
        sums[i - k] += static_cast<double>(upper + lower);
      }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  static constexpr Index strip = 32;

 private:
  static constexpr Index lanes = 4, rows_a_step = 4 * lanes;
  ConstMatrixRef x_;
  std::span<const double> weights_;
  Index begin_, width_, rows_ = 0;
  std::vector<std::uint32_t> others_;
  std::vector<Real> values_, weighted_;
};

}  // namespace

template <class OfRows>
OfRows SparseLateral::fields(const OfRows* columns, Index column) const {
  OfRows sums{};
  for (Index e = begin_[column]; e < begin_[column + 1]; ++e) {
    const auto value = static_cast<typename OfRows::value_type>(value_[e]);
    const OfRows& other = columns[neighbor_[e]];
    for (Index k = 0; k < rows_side_by_side; ++k) sums[k] += other[k] * value;
  }
  return sums;
}

template <class T>
void SparseLateral::add_fields(MatrixView<const T> x, T keep, MatrixView<T> out) const {
  const auto add = [keep](T& field, T sum) { field = (keep == 0 ? T{0} : keep * field) + sum; };
  std::vector<SideBySide<T>> columns;
  for (Index first = 0; first < x.rows; first += rows_side_by_side) {
    const Index rows = std::min(rows_side_by_side, x.rows - first);
    if (rows <= rows_one_by_one) {
      for (Index r = first; r < x.rows; ++r)
        for (Index c = 0; c < x.cols; ++c) add(out(r, c), field(x.row(r), c));
      return;
    }
    set_side_by_side(x, first, columns);
    for (Index c = 0; c < x.cols; ++c) {
      const SideBySide<T> sums = fields(columns.data(), c);
      for (Index k = 0; k < rows; ++k) add(out(first + k, c), sums[k]);
    }
  }
}

template void SparseLateral::add_fields(MatrixView<const double>, double, MatrixView<double>) const;
template void SparseLateral::add_fields(MatrixView<const float>, float, MatrixView<float>) const;

void SparseLateral::add_quadratic_forms(double factor, MatrixView<const double> x, std::span<double> out) const {
  std::vector<SideBySide<double>> columns;
  for (Index first = 0; first < x.rows; first += rows_side_by_side) {
    const Index rows = std::min(rows_side_by_side, x.rows - first);
    SideBySide<double> forms{};
    if (rows <= rows_one_by_one) {
      for (Index k = 0; k < rows; ++k) {
        const double* const row = x.row(first + k);
        for (Index c = 0; c < x.cols; ++c) forms[k] += field(row, c) * row[c];
      }
    } else {
      set_side_by_side(x, first, columns);
      for (Index c = 0; c < x.cols; ++c) {
        const SideBySide<double> sums = fields(columns.data(), c);
        for (Index k = 0; k < rows_side_by_side; ++k) forms[k] += sums[k] * columns[c][k];
      }
    }
    for (Index k = 0; k < rows; ++k) out[first + k] += 0.5 * factor * forms[k];
  }
}

std::vector<double> SparseLateral::products(ConstMatrixRef x, std::span<const double> weights, Index begin,
                                            Index end) const {
  struct Pair {
    std::uint32_t a, place;
    Index at;
  };
  std::vector<double> sums(begin_[end] - begin_[begin], 0.0);
  PairProducts products(x, weights, begin, end);
  std::vector<Pair> pairs;
  for (Index c = begin; c < end; ++c)
    for (Index e = begin_[c]; e < begin_[c + 1]; ++e)
      if (neighbor_[e] > c)
        pairs.push_back({static_cast<std::uint32_t>(c - begin), products.place_of(neighbor_[e]), e - begin_[begin]});
  for (Index first = 0; first < x.rows; first += PairProducts::strip) {
    if (x.rows - first <= rows_one_by_one) {
      for (Index r = first; r < x.rows; ++r)
        for (const Pair& p : pairs) {
          const Real weighted = static_cast<Real>(weights[r]) * x(r, begin + p.a);
          sums[p.at] += static_cast<double>(weighted * x(r, neighbor_[begin_[begin] + p.at]));
        }
      break;
    }
    products.take(first);
    for (const Pair& p : pairs) sums[p.at] += products.sum(p.a, p.place);
  }
  return sums;
}

void SparseLateral::add_gradient(ConstMatrixRef x, std::span<const double> weights, std::span<Real> entries,
                                 const Executor& executor) const {
  const Index width = Tiling::panel(x.cols);
  if (!shares_entries_) {
    executor.for_each_piece(x.cols, width, [&](Index begin, Index end) {
      const std::vector<double> sums = products(x, weights, begin, end);
      for (Index c = begin, e = begin_[begin]; c < end; ++c)
        for (; e < begin_[c + 1]; ++e)
          if (neighbor_[e] > c) entries[entry_[e]] -= static_cast<Real>(sums[e - begin_[begin]]);
    });
    return;
  }
  std::vector<std::vector<double>> panels((x.cols + width - 1) / width);
  executor.for_each_piece(x.cols, width,
                          [&](Index begin, Index end) { panels[begin / width] = products(x, weights, begin, end); });
  std::vector<double> shared(entries.size(), 0.0);
  Index e = 0;
  for (const std::vector<double>& panel : panels)
    for (const double sum : panel) shared[entry_[e++]] += sum;  // 0 of a pair's other direction
  std::ranges::transform(shared, entries, entries.begin(),
                         [](double sum, Real entry) { return entry - static_cast<Real>(sum); });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
