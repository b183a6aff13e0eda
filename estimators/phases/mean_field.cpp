#include <harmonium/estimators/phases/mean_field.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/estimators/phases/chain_start.hpp>
#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/model/tiling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Whether unit `unit` of row `row` was seen, `units` being the mask's rows of a layer that is not held as a whole.
bool held(MatrixView<const std::uint8_t> units, Index row, Index unit) { return !units.empty() && units(row, unit); }

}  // namespace

void MeanFieldOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<MeanFieldStart> starts[] = {{"fresh", MeanFieldStart::fresh},
                                                                    {"persistent", MeanFieldStart::persistent}};
  o.choice(
      "start", start, starts,
      "where means start: as under a zero field at each batch, or at the last result for the same row of the data");
  o.option("damping", damping, "part of the old natural parameters that an iteration keeps", within(0, 0.99));
  o.option("tolerance", tolerance, "iterations end when no mean moves by more", at_least(0));
  o.option("max_iterations", max_iterations, "sweeps over all units at most", at_least(1));
}

void MeanField::check(const EnergyModel& model, Phase phase) const {
  if (phase == Phase::negative)
    throw CapabilityError(
        "phase 'mean_field': it is a positive phase. In the negative one its bound on the likelihood has the wrong "
        "sign, and learning would loosen it. Try 'chains' or 'exact'.");
  if (!model.factorized_expectation() || !model.block_conditionals())
    throw CapabilityError(
        "phase 'mean_field': the model offers no conditionals, or no expectation of its gradient, for laws that "
        "factorize. Try 'chains'.");
}

void MeanField::take(const EnergyModel&, Phase, const Shard&) {
  if (options_.start == MeanFieldStart::persistent)
    throw CapabilityError(
        "phase 'mean_field': persistent means belong to rows of the data, and with training.shards > 1 a row comes to "
        "another shard at each visit. Set start = \"fresh\", or training.shards = 1.");
}

double MeanField::products(const EnergyModel& model, Phase, Index rows) const {
  constexpr Index usual = 10;
  const Index iterations = posterior_factorizes(model) ? 2 : std::min(usual, options_.max_iterations);
  return static_cast<double>(rows) * static_cast<double>(iterations + 1);
}

void MeanField::memory(const EnergyModel& model, Phase, Index rows, MemoryNeed& need) const {
  const Layout& layout = model.layout();
  const auto cells = [&](LayerSet layers) {
    return static_cast<double>(rows) * static_cast<double>(layout.columns(layers)) * sizeof(Real);
  };
  need.add("the mean field of the batch",
           cells(layout.all()) + 3.0 * cells(outline_.missing ? layout.all() : layout.latent()), "training.batch_size");
  if (options_.start == MeanFieldStart::persistent)
    need.add_state("the means of each row of the data",
                   ExampleMemory::bytes(layout, remembered(layout, outline_.missing), ExampleMemory::Values::numbers,
                                        outline_.rows),
                   "the number of rows");
}

void MeanField::start(const EnergyModel& model, const DataBatch& data) {
  const Layout& layout = model.layout();
  const Index rows = data.rows.size();
  if (!means_ || means_->size() != rows) means_.emplace(layout, rows);
  laws_.resize(layout.size());
  const PerLayer<Index> first = layout.first_columns(layout.observed());
  for (const LayerId l : layout.ids()) {
    const Layer& layer = layout[l];
    const Index columns = layer.columns();
    if (layer.role == Role::observed && !data.marginals.empty()) {
      const std::span<const double> marginals = data.marginals.subspan(first[l], columns);
      copy_to_rows(std::vector<Real>(marginals.begin(), marginals.end()), means_->write(l));
    } else {
      copy_to_rows(means_without_field(*layer.unit, columns), means_->write(l));
    }
    laws_[l].fields = UnitBuffer(*layer.unit, rows, columns);
    std::ranges::fill(laws_[l].fields.second().all(), Real{1});
    laws_[l].second.assign(laws_[l].fields.second().all().size(), 0);
  }
  if (options_.start == MeanFieldStart::persistent) {
    if (data.indices.size() != rows)
      throw CapabilityError(
          "phase 'mean_field': persistent means belong to rows of the data, and the batch does not say which these "
          "are. "
          "Fill DataBatch::indices, or try start = \"fresh\".");
    examples_.recall(layout, data.indices, *means_);
  }
  copy_seen(layout, data, 1, *means_);
}

double MeanField::update(const EnergyModel& model, const Block& block, const HeldMask& seen, Index begin, Index end,
                         double damping) {
  const Layer& layer = model.layout()[block.layer];
  const Index width = layer.unit->width(), count = block.size * width, rows = end - begin;
  UnitBuffer buffer(*layer.unit, rows, count), moments(*layer.unit, rows, count);
  const Fields fields = buffer.fields();
  model.block_conditionals()->fields(block, 0, block.size, {*means_, begin, end}, fields);

  LayerLaw& law = laws_[block.layer];
  const auto column = [&](Index k) { return (block.whole() ? k / width : block.units[k / width]) * width + k % width; };
  const auto kept = static_cast<Real>(damping);
  const auto damp = [&](MatrixRef now, MatrixRef old) {
    for (Index r = 0; r < now.rows; ++r) {
      for (Index k = 0; k < count; ++k) {
        Real& before = old(r, column(k));
        if (kept > 0) now(r, k) = kept * before + (1 - kept) * now(r, k);
        before = now(r, k);
      }
    }
  };
  damp(fields.linear, law.fields.first().slice(begin, end));
  if (!fields.curvature.empty()) damp(fields.curvature, law.fields.second().slice(begin, end));
  layer.unit->moments(fields, moments.first(), moments.second());

  const auto units = seen.units(block.layer, begin, end);
  const MatrixRef to = ChainView(*means_, begin, end)[block.layer], mean = moments.first(), second = moments.second();
  double moved = 0.0;
  for (Index r = 0; r < rows; ++r) {
    for (Index k = 0; k < count; ++k) {
      if (held(units, r, column(k) / width)) continue;
      Real& m = to(r, column(k));
      moved = std::max(moved, std::abs(static_cast<double>(mean(r, k)) - static_cast<double>(m)));
      m = mean(r, k);
      if (!second.empty()) law.second[(begin + r) * to.cols + column(k)] = second(r, k);
    }
  }
  return moved;
}

void MeanField::find_bounds(const EnergyModel& model, const HeldMask& seen, Index begin, Index end) {
  const Layout& layout = model.layout();
  const Index rows = end - begin;
  const std::span<double> bounds(bounds_.data() + begin, rows);
  model.energy({*means_, begin, end}, bounds);
  in_place(bounds) = -as_xtensor(bounds);
  for (const LayerId l : layout.ids(layout.all() - seen.layers())) {
    const Layer& layer = layout[l];
    const Index width = layer.unit->width(), columns = layer.columns();
    const ConstFields law = std::as_const(laws_[l].fields).fields().slice(begin, end);
    const ConstMatrixRef mean = ConstChainView(*means_, begin, end)[l];
    const auto units = seen.units(l, begin, end);
    // Of a row, the units that were not seen, side by side.
    std::vector<double> linear(columns), curvature(layer.unit->has_curvature() ? columns : 0);
    for (Index r = 0; r < rows; ++r) {
      Index count = 0;
      double& bound = bounds[r];
      for (Index c = 0; c < columns; ++c) {
        if (held(units, r, c / width)) continue;
        const auto m = static_cast<double>(mean(r, c));
        linear[count] = static_cast<double>(law.linear(r, c));
        bound -= linear[count] * m;  // of the entropy, log Z(λ) − λ m + ½ γ E[x²]
        if (!curvature.empty()) {
          curvature[count] = static_cast<double>(law.curvature(r, c));
          bound += 0.5 * curvature[count] * m * m;  // −E and the entropy have ½ γ Var with either sign
        }
        ++count;
      }
      if (count == 0) continue;
      BasicFields<const double> fields{{linear.data(), 1, count, count}};
      if (!curvature.empty()) fields.curvature = {curvature.data(), 1, count, count};
      layer.unit->add_log_partition(fields, {&bound, 1});
    }
  }
}

PhaseReport MeanField::accumulate(const EnergyModel& model, const DataBatch& data, Phase, double scale,
                                  std::span<Real> gradient, const Execution& execution) {
  const Layout& layout = model.layout();
  const HeldMask seen = data.seen(layout);
  const Index rows = data.rows.size();
  start(model, data);
  bounds_.resize(rows);

  // A tile's iterations are its own, so that tiles need no barrier.
  const Tiling tiling = Tiling::of(rows);
  const Index num_tiles = (rows + tiling.rows - 1) / tiling.rows;
  std::vector<Index> iterations(num_tiles, 0), unsettled(num_tiles, 0);
  execution.executor.for_each_piece(rows, tiling.rows, [&](Index begin, Index end) {
    const Index tile = begin / tiling.rows;
    double moved = 1.0;
    for (Index k = 0; k < options_.max_iterations && moved > options_.tolerance; ++k) {
      moved = 0.0;
      for (const Block& block : model.block_conditionals()->blocks())
        if (!seen.holds(block.layer))
          moved = std::max(moved, update(model, block, seen, begin, end, k == 0 ? 0.0 : options_.damping));
      ++iterations[tile];
    }
    if (moved > options_.tolerance) unsettled[tile] = end - begin;
    find_bounds(model, seen, begin, end);
  });

  Moments q{PerLayer<ConstMatrixRef>(layout.size()), PerLayer<ConstMatrixRef>(layout.size())};
  for (const LayerId l : layout.ids()) {
    const ConstMatrixRef mean = q.mean[l] = means_->read(l);
    if (!layout[l].unit->has_curvature()) continue;
    std::vector<Real>& second = laws_[l].second;
    const auto units = seen.units(l, 0, rows);
    const Index width = layout[l].unit->width();
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < mean.cols; ++c)
        if (seen.holds(l) || held(units, r, c / width)) second[r * mean.cols + c] = mean(r, c) * mean(r, c);
    q.second[l] = {second.data(), rows, mean.cols, mean.cols};
  }
  const std::vector<double> weights = scaled(data.weights, scale);
  model.factorized_expectation()->add_gradient(q, weights, gradient, execution.executor);
  if (options_.start == MeanFieldStart::persistent)
    examples_.remember(layout, remembered(layout, data.observed != nullptr), data.indices, *means_);

  PhaseReport report;
  report.iterations = *std::ranges::max_element(iterations);
  report.method = fmt::format("mean field, {} iterations", report.iterations);
  const Index beyond = std::accumulate(unsettled.begin(), unsettled.end(), Index{0});
  if (beyond > 0) report.method += fmt::format(" ({} of {} rows not within tolerance)", beyond, rows);
  // Rows of weight 0 have a bound too, which then counts for nothing beside others.
  const double total = data.total_weight();
  report.bound = total > 0.0
                     ? std::inner_product(data.weights.begin(), data.weights.end(), bounds_.begin(), 0.0) / total
                     : std::reduce(bounds_.begin(), bounds_.end()) / static_cast<double>(bounds_.size());
  return report;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
