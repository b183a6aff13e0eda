#include <harmonium/estimators/gradients/neighbor_loss.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <unordered_set>

#include <fmt/format.h>

#include <harmonium/estimators/gradients/loss_checks.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index piece = 8;  // rows that a task evaluates

/// The state of each unit of each row, rows × units; the number of states where a value lies between them.
Matrix<Index> states_of(const Layer& layer, ConstMatrixRef values) {
  const UnitStates states(*layer.unit);
  const Index width = layer.unit->width();
  Matrix<Index> found = zeros<Index>(values.rows, layer.size);
  for (Index r = 0; r < values.rows; ++r)
    for (Index u = 0; u < layer.size; ++u) found(r, u) = states.find(values[r].subspan(u * width, width));
  return found;
}

/// Sets the log ratio of each neighbor of a row that is itself one of the rows, in all observed layers, to −∞. `states`
/// holds those of the observed units of each layer.
void exclude_rows(const Layout& layout, const PerLayer<Matrix<Index>>& states, Index rows,
                  PerLayer<Matrix<double>>& ratios) {
  std::vector<std::u32string> keys(rows);
  for (const LayerId l : layout.ids(layout.observed()))
    for (Index r = 0; r < rows; ++r)
      for (const Index state : row_of(states[l], r)) keys[r].push_back(static_cast<char32_t>(state));
  const std::unordered_set<std::u32string> met(keys.begin(), keys.end());
  Index first = 0;
  for (const LayerId l : layout.ids(layout.observed())) {
    const Index S = layout[l].unit->num_states(), units = layout[l].size;
    for (Index r = 0; r < rows; ++r) {
      std::u32string key = keys[r];
      for (Index i = 0; i < units * S; ++i) {
        const char32_t own = key[first + i / S];
        key[first + i / S] = static_cast<char32_t>(i % S);
        if (met.contains(key)) ratios[l](r, i) = -INFINITY;
        key[first + i / S] = own;
      }
    }
    first += units;
  }
}

}  // namespace

void ProbabilityFlowOptions::bind(OptionBinder& o) {
  o.option("exclude_batch", exclude_batch, "leave out neighbors that are rows of the batch themselves");
  CenteringOptions::bind(o);
}

NeighborLoss::NeighborLoss(Rule rule, const CenteringOptions& options, bool exclude_batch)
    : rule_(rule), exclude_batch_(exclude_batch) {
  if (options.centering) centering_ = std::make_shared<Centering>(options.offset_rate);
}

void NeighborLoss::check(const EnergyModel& model) const {
  const Layout& layout = model.layout();
  for (const Layer& layer : layout.layers())
    if (layer.role == Role::observed && layer.unit->num_states() == 0)
      throw CapabilityError(fmt::format(
          "estimator '{}': it compares the states of single units, and those of layer '{}' are continuous. Try "
          "'score_matching' or 'pcd'.",
          rule_.name, layer.name));
  check_summed_out(rule_.name, model);
  if (centering_) Centering::check(model);
}

void NeighborLoss::begin(const EnergyModel&, const DataOutline& data) { check_complete(rule_.name, data); }

double NeighborLoss::weigh(const Layer& layer, ConstMatrixRef values, std::span<const double> weights,
                           MatrixView<double> ratios, std::span<double> of_rows, const Executor& executor) const {
  const Matrix<Index> own = states_of(layer, values);
  const Index S = layer.unit->num_states();
  if (!rule_.gray) {
    const auto gray = std::find(own.begin(), own.end(), S);
    if (gray != own.end()) {
      const auto at = static_cast<Index>(gray - own.begin());
      throw CapabilityError(fmt::format(
          "estimator '{}': unit {} of layer '{}' is in none of its {} states in row {} of the batch, but between them. "
          "Set data.binarize, or try 'pseudo_likelihood'.",
          rule_.name, at % layer.size, layer.name, S, at / layer.size));
    }
  }
  return executor.sum_in_order(ratios.rows, piece, [&](Index begin, Index end) {
    double sum = 0.0;
    for (Index r = begin; r < end; ++r) {
      for (Index u = 0; u < layer.size; ++u) {
        const std::span<double> of_unit = ratios[r].subspan(u * S, S);
        sum += weights[r] * rule_.loss(of_unit, own(r, u));
        double others = 0.0;
        for (Index s = 0; s < S; ++s) {
          of_unit[s] *= -weights[r];
          if (s != own(r, u)) others -= of_unit[s];
        }
        // The row itself is the neighbor in its own state: counted once, with what the others weigh, nothing cancels.
        if (own(r, u) < S) of_unit[own(r, u)] = others;
        else of_rows[r] += others;
      }
    }
    return sum;
  });
}

GradientEstimator::Report NeighborLoss::estimate(const EnergyModel& model, const DataBatch& data,
                                                 std::span<Real> gradient, const Execution& execution) {
  const WholeBatch whole{data.rows.size(), data.total_weight(), data.marginals};
  std::vector<Real> sums(num_sums(model));
  std::ranges::fill(gradient, Real{0});
  Report report = estimate_shard(model, data, whole, gradient, sums, execution);
  finish(model, whole, gradient, sums, execution.executor);
  return report;
}

void NeighborLoss::take(const EnergyModel&, const Shard&) {
  if (exclude_batch_)
    throw CapabilityError(fmt::format(
        "estimator '{}': with exclude_batch each row is compared with all rows of the batch, and a shard has a part of "
        "them. Set exclude_batch = false, or training.shards = 1.",
        rule_.name));
}

void NeighborLoss::finish(const EnergyModel& model, const WholeBatch& whole, std::span<Real> gradient,
                          std::span<const Real> sums, const Executor& executor) {
  if (!centering_) return;
  centering_->update_offsets(model, whole, sums);
  centering_->center(model, gradient, executor);
}

GradientEstimator::Report NeighborLoss::estimate_shard(const EnergyModel& model, const DataBatch& data,
                                                       const WholeBatch&, std::span<Real> gradient,
                                                       std::span<Real> sums, const Execution& execution) {
  if (data.observed) begin(model, {.rows = data.rows.size(), .missing = true});
  const Layout& layout = model.layout();
  const LayerSet observed = layout.observed();
  const FreeEnergy& free_energy = *model.free_energy();
  const Executor& executor = execution.executor;
  const Index rows = data.rows.size();
  const ConstChainView x = data.rows.real();

  if (centering_) {
    free_energy.add_gradient(observed, data.rows, data.weights, gradient, executor);
    Centering::take_sums(model, gradient, sums);
    std::ranges::fill(gradient, Real{0});
  }

  PerLayer<Matrix<double>> ratios(layout.size());
  PerLayer<Matrix<Index>> states(layout.size());
  for (const LayerId l : layout.ids(observed)) {
    const Layer& layer = layout[l];
    std::vector<Index> units(layer.size);
    std::iota(units.begin(), units.end(), Index{0});
    ratios[l] = zeros<double>(rows, layer.size * layer.unit->num_states());
    const MatrixView<double> of_layer = as_matrix(ratios[l]);
    executor.for_each_piece(rows, piece, [&](Index begin, Index end) {
      free_energy.log_ratios(layout, observed, 1.0, x.slice(begin, end), l, units, of_layer.slice(begin, end));
    });
    if (exclude_batch_) states[l] = states_of(layer, x[l]);
  }
  if (exclude_batch_) exclude_rows(layout, states, rows, ratios);

  std::vector<double> of_rows(rows, 0.0);
  double loss = 0.0;
  for (const LayerId l : layout.ids(observed)) {
    const MatrixView<double> of_layer = as_matrix(ratios[l]);
    loss += weigh(layout[l], x[l], data.weights, of_layer, of_rows, executor);
    free_energy.add_neighbor_gradient(layout, observed, data.rows, l, of_layer, gradient, executor);
  }
  const bool any_gray = std::ranges::any_of(of_rows, [](double weight) { return weight != 0.0; });
  if (any_gray) free_energy.add_gradient(observed, data.rows, of_rows, gradient, executor);
  Report report;
  report.loss = loss;
  report.slope = !centering_;
  report.positive = {.exact = true, .method = "all neighbors of the data"};
  return report;
}

double NeighborLoss::products(const EnergyModel& model, Index rows) const {
  // A neighbor costs the log partition and the mean of each latent unit, as much as 140 products of a row with its row of
  // W (measured on 784 x 500 units).
  constexpr double transcendental = 140.0;
  double neighbors = 0.0, units = 0.0;
  for (const Layer& layer : model.layout().layers()) {
    if (layer.role == Role::latent) continue;
    neighbors += static_cast<double>(layer.size * (layer.unit->num_states() - 1));
    units += static_cast<double>(layer.columns());
  }
  const bool any_latent = !model.layout().latent().empty();
  return static_cast<double>(rows) * (6.0 + (any_latent ? transcendental * neighbors / units : 0.0));
}

void NeighborLoss::memory(const EnergyModel& model, Index rows, MemoryNeed& need) const {
  double neighbors = 0.0;
  for (const Layer& layer : model.layout().layers())
    if (layer.role == Role::observed) neighbors += static_cast<double>(layer.size * layer.unit->num_states());
  need.add("the log ratios of the rows' neighbors", static_cast<double>(rows) * neighbors * sizeof(double),
           "training.batch_size");
  // 64 rows of neighbors' means for each 16 units at a time, and the couplings twice, in Real.
  const auto latent = static_cast<double>(model.layout().columns(model.layout().latent()));
  const auto observed = static_cast<double>(model.layout().columns(model.layout().observed()));
  need.add_passing("the means of latent units beside the neighbors",
                   (64.0 * (observed / 16.0 + 8.0) * latent + 2.0 * observed * latent) * sizeof(Real),
                   "the size of the model");
}

void NeighborLoss::common_state(StateArchive& archive) {
  if (centering_) archive.group("centering", *centering_);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
