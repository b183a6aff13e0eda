#include <harmonium/framework/inference/population.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// log Σ e^(step · d), without overflow.
double log_sum(std::span<const double> d, double step) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0.0;
  for (const double x : d) largest = std::max(largest, step * x);
  for (const double x : d) sum += std::exp(step * x - largest);
  return largest + std::log(sum);
}

/// Row r of `x` becomes what row parents[r] was.
template <class T>
void take_parents(std::span<const std::uint32_t> parents, MatrixView<T> x, const Executor& executor) {
  std::vector<T> taken(parents.size() * x.cols);
  executor.for_each_piece(parents.size(), 64, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) std::copy_n(x.row(parents[r]), x.cols, &taken[r * x.cols]);
  });
  executor.for_each_piece(parents.size(), 64, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) std::copy_n(&taken[r * x.cols], x.cols, x.row(r));
  });
}

/// The same of every layer, in the form that it is kept in.
void take_parents(const Layout& layout, std::span<const std::uint32_t> parents, Chains& chains,
                  const Executor& executor) {
  for (const LayerId l : layout.ids()) {
    if (layout[l].unit->byte_code()) take_parents(parents, chains.write_bytes(l), executor);
    else take_parents(parents, chains.write(l), executor);
  }
}

}  // namespace

std::vector<std::uint32_t> systematic_resampling(std::span<const double> log_weights, double uniform) {
  const Index n = log_weights.size();
  const double total = log_sum(log_weights, 1.0);
  if (!std::isfinite(total)) throw NumericalError("population annealing: a weight is no number");
  std::vector<std::uint32_t> parents;
  parents.reserve(n);
  double below = 0.0;  // the sum of the shares of the rows up to this one, in rows
  for (Index i = 0; i < n; ++i) {
    below += static_cast<double>(n) * std::exp(log_weights[i] - total);
    while (parents.size() < n && static_cast<double>(parents.size()) + uniform < below)
      parents.push_back(static_cast<std::uint32_t>(i));
  }
  // The shares add up to n but for rounding, which the last row that has one may be short by.
  while (parents.size() < n) parents.push_back(parents.empty() ? 0 : parents.back());
  return parents;
}

Populations::Populations(Index count, Index rows) : count_(count), families_(rows), log_ratios_(count, 0.0) {
  HARMONIUM_ASSERT(count > 0 && rows % count == 0);
  for (Index r = 0; r < rows; ++r) families_[r] = static_cast<std::uint32_t>(r);
}

double Populations::culled(std::span<const double> d, double step) const {
  double sum = 0.0;
  for (Index p = 0; p < count_; ++p) {
    const auto own = of(d, p);
    const double mean = log_sum(own, step) - std::log(static_cast<double>(size()));
    for (const double x : own) sum += std::max(0.0, 1.0 - std::exp(step * x - mean));
  }
  return sum / static_cast<double>(families_.size());
}

void Populations::resample(std::span<const double> d, double step, std::span<const double> uniforms,
                           const Layout& layout, Chains& chains, const Executor& executor) {
  std::vector<std::uint32_t> parents;
  parents.reserve(families_.size());
  std::vector<double> log_weights(size());
  for (Index p = 0; p < count_; ++p) {
    std::ranges::transform(of(d, p), log_weights.begin(), [&](double x) { return step * x; });
    log_ratios_[p] += log_sum(of(d, p), step) - std::log(static_cast<double>(size()));
    for (const std::uint32_t parent : systematic_resampling(log_weights, uniforms[p]))
      parents.push_back(static_cast<std::uint32_t>(p * size()) + parent);
  }
  std::vector<std::uint32_t> families(families_.size());
  std::ranges::transform(parents, families.begin(), [&](std::uint32_t parent) { return families_[parent]; });
  families_ = std::move(families);
  take_parents(layout, parents, chains, executor);
}

std::vector<double> Populations::mean_square_families() const {
  std::vector<double> rho(count_, 0.0);
  const auto n = static_cast<double>(size());
  for (Index p = 0; p < count_; ++p) {
    // Systematic resampling keeps the rows of a family together.
    const auto own = std::span(families_).subspan(p * size(), size());
    for (auto first = own.begin(); first != own.end();) {
      const auto last = std::find_if(first, own.end(), [&](std::uint32_t f) { return f != *first; });
      const auto members = static_cast<double>(last - first);
      rho[p] += members * members / n;
      first = last;
    }
  }
  return rho;
}

Index Populations::families_of(std::span<const std::uint8_t> marked) const {
  std::set<std::uint32_t> families;
  for (Index r = 0; r < families_.size(); ++r)
    if (marked[r]) families.insert(families_[r]);
  return families.size();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
