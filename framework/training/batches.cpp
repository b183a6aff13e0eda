#include <harmonium/framework/training/batches.hpp>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/execution/permutation.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Copies rows of data to the observed layers, from row `at` on, straight where there is one.
void fill(const Dataset& data, const Layout& layout, std::span<const Index> rows, std::uint64_t epoch,
          const Executor& executor, Chains& out, std::vector<Real>& scratch, Index at = 0) {
  const auto fetch = [&](MatrixRef to) {
    executor.for_each_piece(rows.size(), 32, [&](Index begin, Index end) {
      data.fetch<Real>(rows.subspan(begin, end - begin), epoch, to.slice(begin, end));
    });
  };
  const std::vector<LayerId> observed = layout.ids(layout.observed());
  if (observed.size() == 1) {
    fetch(out.write(observed.front()).slice(at, at + rows.size()));
    return;
  }
  scratch.resize(rows.size() * data.cols());
  const MatrixRef all{scratch.data(), rows.size(), data.cols(), data.cols()};
  fetch(all);
  const PerLayer<Index> first = layout.first_columns(layout.observed());
  for (const LayerId l : observed)
    copy(all.columns(first[l], first[l] + layout[l].columns()), out.write(l).slice(at, at + rows.size()));
}
std::vector<Index> consecutive(Index first, Index count) {
  std::vector<Index> which(count);
  std::iota(which.begin(), which.end(), first);
  return which;
}

}  // namespace

HeldMask seen_of(const Dataset& data, const Layout& layout, std::span<const Index> rows) {
  if (!data.has_missing()) return HeldMask(layout.observed());
  Matrix<std::uint8_t> seen = zeros<std::uint8_t>(rows.size(), data.cols());
  data.seen(rows, as_matrix(seen));
  HeldMask mask;
  const PerLayer<Index> first = layout.first_columns(layout.observed());
  for (const LayerId l : layout.ids(layout.observed())) {
    const Layer& layer = layout[l];
    const Index width = layer.unit->width();
    std::vector<std::uint8_t> units;
    for (Index r = 0; r < rows.size(); ++r)
      for (Index u = 0; u < layer.size; ++u)
        units.push_back(std::ranges::count(row_of(seen, r).subspan(first[l] + u * width, width), 0) == 0 ? 1 : 0);
    if (std::ranges::count(units, 0) == 0) mask.hold(l);
    else mask.hold_units(l, layer.size, std::move(units));
  }
  return mask;
}

Chains rows_of(const Dataset& data, const Layout& layout, std::span<const Index> which, std::uint64_t epoch) {
  Chains rows(layout, which.size());
  std::vector<Real> scratch;
  fill(data, layout, which, epoch, Executor(1), rows, scratch);
  return rows;
}

HeldMask seen_of(const Dataset& data, const Layout& layout, Index first, Index count) {
  return seen_of(data, layout, consecutive(first, count));
}

Chains rows_of(const Dataset& data, const Layout& layout, Index first, Index count, std::uint64_t epoch) {
  return rows_of(data, layout, consecutive(first, count), epoch);
}

DataOutline outline_of(const Dataset& data, const Layout& layout) {
  return {data.rows(), data.has_missing(), [&](Index most) { return spread_rows(data, layout, most, 0); }};
}

std::vector<Index> spread(const Dataset& data, Index most) {
  const Index count = most == 0 ? data.rows() : std::min(most, data.rows());
  std::vector<Index> which = consecutive(0, count);
  std::ranges::transform(which, which.begin(), [&](Index i) { return i * data.rows() / count; });
  return which;
}

Chains spread_rows(const Dataset& data, const Layout& layout, Index most, std::uint64_t epoch) {
  return rows_of(data, layout, spread(data, most), epoch);
}

Batches::Batches(const Dataset& data, const Layout& layout, Index batch_size, const RandomSource& random)
    : data_(&data), layout_(&layout), batch_size_(batch_size), random_(random), marginals_(data.column_means()) {
  if (batch_size > data.rows())
    throw ConfigError(
        fmt::format("'batch_size' is {}, but there are {} training rows. Set batch_size to at most "
                    "that.",
                    batch_size, data.rows()));
  if (data.weighted()) {
    const std::vector<double> weights = data.weights();
    mean_weight_ = std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(data.rows());
  }
}

void Batches::read_only(Index first, Index last, Index count) {
  first_ = {first, count};
  last_ = {last - 1, count};
}

DataBatch Batches::batch(std::uint64_t epoch, Index i, const Executor& executor) {
  const Index first = i * batch_size_, count = std::min(batch_size_, data_->rows() - first);
  const Permutation order(data_->rows(), hash64(random_.key(0), epoch, 0));
  const Index begin = first_.begin(count), end = last_.end(count);
  which_.assign(count, 0);
  const auto own = std::span(which_).subspan(begin, end - begin);
  const auto known = data_->weighted() ? std::span(which_) : own;
  std::iota(known.begin(), known.end(), first + static_cast<Index>(known.data() - which_.data()));
  order.apply(known);
  if (rows_.size() != count) rows_ = Chains(*layout_, count);
  fill(*data_, *layout_, own, epoch, executor, rows_, values_, begin);
  if (data_->has_missing()) seen_ = seen_of(*data_, *layout_, which_);
  weights_.assign(count, 1.0 / static_cast<double>(count));
  if (data_->weighted())
    for (Index k = 0; k < count; ++k) weights_[k] *= data_->weight(which_[k]) / mean_weight_;
  posterior_.reset();
  return {rows_, weights_, posterior_, seen_ ? &*seen_ : nullptr, marginals_, which_};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
