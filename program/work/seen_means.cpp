#include <harmonium/program/work/seen_means.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <harmonium/framework/core/assert.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/classification.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/held_state.hpp>
#include <harmonium/framework/inference/latent_of_seen.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>
#include <harmonium/framework/run/start_chains.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/latent_given_seen.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index looked_at_once = 2000;  // rows: what is in memory does not grow with the data
constexpr Index chains_at_once = 512;   // enough for products of matrices, few enough to tell how far it is

/// A row of which something is missing, and what its sum takes.
struct MissingOfRow {
  Index row;
  bool few_ways;
  double operations;
};

/// Each of the units that are held of row which[i] into the chains [i n, (i + 1) n).
void write_held(const Chains& rows, const HeldMask& seen, std::span<const Index> which, Index n, Chains& chains,
                const Layout& layout) {
  for (const LayerId l : layout.ids(layout.observed())) {
    const ConstMatrixRef from = rows.read(l);
    const MatrixRef to = chains.write(l);
    const Index width = layout[l].unit->width();
    for (Index r = 0; r < to.rows; ++r)
      for (Index u = 0; u < layout[l].size; ++u)
        if (holds_unit(seen, l, which[r / n], u))
          std::copy_n(from.row(which[r / n]) + u * width, width, to.row(r) + u * width);
  }
}

}  // namespace

SeenMeans::SeenMeans(const EnergyModel& model, const Clamp& seen, Index rows, std::optional<LayerId> layer,
                     double most_operations)
    : model_(&model), seen_(&seen), rows_(rows), layer_(layer), estimated_(rows, false) {
  choose_ways(most_operations);
}

SeenMeans::Work SeenMeans::work_of(HeldMask seen, Index rows) const {
  const Layout& layout = model_->layout();
  if (of_classes()) seen.hold(*layer_);
  Work work{{}, completions(layout, seen, rows), std::vector<double>(rows, INFINITY)};
  if (of_latent()) {
    work.holes = rows_with_holes(*model_, seen, rows);
    work.operations = latent_operations_of_each(*model_, seen, rows);
    return work;
  }
  for (const double ways : work.ways) work.holes.push_back(ways > 1.0);
  const bool sums = of_classes() ? offers_classification(*model_, label_layer) : offers_free_energy(*model_);
  if (sums) work.operations = operations_of_each_seen(*model_, seen, rows);
  if (of_classes())
    for (double& operations : work.operations) operations *= static_cast<double>(columns());
  return work;
}

void SeenMeans::choose_ways(double most_operations) {
  std::vector<MissingOfRow> missing;
  for (Index first = 0; first < rows_; first += looked_at_once) {
    const Index count = std::min(looked_at_once, rows_ - first);
    const Work work = work_of(seen_->mask(first, count, 1), count);
    for (Index r = 0; r < count; ++r) {
      if (work.holes[r]) ++with_holes_;
      if (work.holes[r] || (of_classes() && std::isinf(work.operations[r])))
        missing.push_back({first + r, work.ways[r] <= always_summed, work.operations[r]});
    }
  }
  std::ranges::stable_sort(missing, {},
                           [](const MissingOfRow& row) { return std::pair(!row.few_ways, row.operations); });
  double all = 0.0;
  for (const MissingOfRow& row : missing) {
    all += row.operations;
    if (!std::isinf(row.operations) && (row.few_ways || all <= most_operations)) continue;
    estimated_[row.row] = true;
    ++num_estimated_;
  }
}

void SeenMeans::take(std::unique_ptr<Sampler> sampler, const ChainAverage& average) {
  if (!offers_means_by_chains(*model_))
    throw CapabilityError(
        "what rows lack has too many states to be summed over, and the model offers no conditionals of its units, by "
        "which chains would find it. Leave out the rows that lack most.");
  average_ = average;
  sampler_ = std::move(sampler);
  Target target{*model_};
  check_held(*sampler_, target, *seen_, rows_);
}

void SeenMeans::want_variances() {
  HARMONIUM_ASSERT(!layer_);
  variances_ = true;
}

void SeenMeans::put_exact(const Chains& rows, const HeldMask& seen, const std::vector<Index>& which,
                          EstimatedMeans& found, const Execution& execution) const {
  const Layout& layout = model_->layout();
  Chains own(layout, which.size());
  for (Index i = 0; i < which.size(); ++i)
    own.copy_rows(layout.observed(), ConstChainView(rows, which[i], which[i] + 1), i);
  const HeldMask held = seen.of_rows(which);
  Matrix<double> variances;
  const Matrix<double> means =
      of_latent()    ? latent_given_seen(*model_, *layer_, own, held, execution)
      : of_classes() ? class_probabilities(*model_, label_layer, own, held, 1.0, execution.executor)
                     : means_of_seen(*model_, own, held, execution.executor, variances_ ? &variances : nullptr);
  for (Index i = 0; i < which.size(); ++i) std::ranges::copy(row_of(means, i), row_of(found.means, which[i]).begin());
  for (Index i = 0; variances_ && i < which.size(); ++i)
    std::ranges::copy(row_of(variances, i), row_of(found.variances, which[i]).begin());
}

void SeenMeans::put_estimated(const Chains& rows, const HeldMask& seen, std::span<const Index> which,
                              EstimatedMeans& found, const Execution& execution, FunctionRef<void(double share)> done) {
  const Layout& layout = model_->layout();
  const Index n = average_.chains_of_row;
  Chains chains(layout, which.size() * n, static_cast<std::uint32_t>(done_ * n));
  start_from_biases(*model_, 1.0, execution.random.child("start"), chains);
  write_held(rows, seen, which, n, chains, layout);
  std::vector<Index> sources(chains.size());
  for (Index r = 0; r < sources.size(); ++r) sources[r] = which[r / n];
  ChainAverage average = average_;
  average.variances = variances_;
  const EstimatedMeans means = means_by_chains(*model_, *sampler_, chains, seen.of_rows(sources), layers(), average,
                                               {execution.executor, execution.random.child("sampler")}, done);
  for (Index i = 0; i < which.size(); ++i)
    for (Index c = 0; c < columns(); ++c) {
      found.means(which[i], c) = means.means(i, c);
      found.errors(which[i], c) = means.errors(i, c);
      if (variances_) found.variances(which[i], c) = means.variances(i, c);
      largest_error_ = std::max(largest_error_, means.errors(i, c));
    }
  done_ += which.size();
}

EstimatedMeans SeenMeans::of_rows(Index first, Index count, const Execution& execution,
                                  FunctionRef<void(double rows)> done) {
  Chains rows(model_->layout(), count);
  seen_->write(rows, first, 1);
  const HeldMask seen = seen_->mask(first, count, 1);
  std::vector<Index> exact, chained;
  for (Index r = 0; r < count; ++r) (estimated_[first + r] ? chained : exact).push_back(r);
  EstimatedMeans found{zeros<double>(count, columns()), zeros<double>(count, columns())};
  if (variances_) found.variances = zeros<double>(count, columns());
  if (!exact.empty()) put_exact(rows, seen, exact, found, execution);
  const Index at_once = std::max<Index>(chains_at_once / average_.chains_of_row, 1);
  for (Index i = 0; i < chained.size(); i += at_once) {
    const auto before = static_cast<double>(exact.size() + i);
    const auto which = std::span(chained).subspan(i, std::min(at_once, chained.size() - i));
    if (i == 0) done(before);
    put_estimated(rows, seen, which, found, execution,
                  [&](double share) { done(before + share * static_cast<double>(which.size())); });
  }
  done(static_cast<double>(count));
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
