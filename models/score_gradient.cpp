#include <algorithm>
#include <functional>
#include <numeric>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/score_parts.hpp>
#include <harmonium/models/unit_law.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index rows_a_task = 64;

}  // namespace

ScoreGradient::ScoreGradient(const LayeredModel& model, LayerSet kept, ConstChainView x,
                             std::span<const ConstMatrixRef> directions, std::span<const double> weights,
                             double divergence_weight, const Executor& executor)
    : model_(model),
      kept_(kept),
      x_(x),
      directions_(directions),
      weights_(weights),
      divergence_weight_(divergence_weight),
      executor_(executor),
      means_(model.layout().size()),
      seconds_(model.layout().size()) {
  for (const LayerId l : model.layout().ids()) {
    const Layer& layer = model.layout()[l];
    means_[l].resize(2 * x.rows() * layer.columns());
    if (layer.unit->has_curvature()) seconds_[l].assign(means_[l].size(), Real{0});
    if (kept.contains(l)) set_kept(l);
  }
}

void ScoreGradient::set_kept(LayerId layer) {
  const ConstMatrixRef values = x_[layer], v = directions_[static_cast<Index>(layer)];
  std::vector<Real>& mean = means_[layer];
  for (Index r = 0; r < values.rows; ++r) {
    std::transform(values.row(r), values.row(r) + values.cols, v.row(r), &mean[r * values.cols], std::plus());
    std::transform(values.row(r), values.row(r) + values.cols, v.row(r), &mean[(values.rows + r) * values.cols],
                   std::minus());
  }
  if (!seconds_[layer].empty()) std::ranges::transform(mean, seconds_[layer].begin(), [](Real m) { return m * m; });
}

Matrix<double> ScoreGradient::along(const SummedLayer& n, Index begin, Index end) const {
  Matrix<double> sum = zeros<double>(end - begin, n.columns);
  for (const LayerId l : model_.layout().ids(kept_)) {
    if (n.couplings[l].size() == 0) continue;
    const ExactMatrix v(directions_[static_cast<Index>(l)].slice(begin, end));
    gemm(Transpose::no, Transpose::yes, 1.0, *v, as_matrix(n.couplings[l]), 1.0, as_matrix(sum));
  }
  return sum;
}

void ScoreGradient::set_piece(const SummedLayer& n, Index begin, Index end, std::vector<double>& covariance) {
  UnitLaw unit(*model_.layout()[n.layer].unit);
  const Index width = unit.width(), size = x_.rows() * n.columns;
  Matrix<double> fields = zeros<double>(end - begin, n.columns);
  model_.kept_fields(n.layer, kept_, ExactRows(x_.slice(begin, end)), as_matrix(fields));
  const Matrix<double> moved = along(n, begin, end);
  std::vector<Real>&mean = means_[n.layer], &second = seconds_[n.layer];
  covariance.assign(n.columns * width, 0.0);
  std::vector<double> slope(width), curvature(width);
  for (Index r = begin; r < end; ++r) {
    for (Index c = 0; c < n.columns; c += width) {
      unit.set(&fields(r - begin, c), &n.gamma[c]);
      unit.derivatives(&moved(r - begin, c), divergence_weight_, &n.gram[c * width], &n.gamma[c], slope.data(),
                       curvature.data());
      for (Index d = 0; d < width; ++d) {
        const Index to = r * n.columns + c + d;
        mean[to] = static_cast<Real>(unit.mean(d) + slope[d]);
        mean[size + to] = static_cast<Real>(unit.mean(d) - slope[d]);
        if (!second.empty()) second[to] = static_cast<Real>(2.0 * curvature[d]);
        for (Index e = 0; e < width; ++e) covariance[(c + d) * width + e] += weights_[r] * unit.covariance(d, e);
      }
    }
  }
}

std::vector<double> ScoreGradient::set_summed(const SummedLayer& n) {
  std::vector<std::vector<double>> parts((x_.rows() + rows_a_task - 1) / rows_a_task);
  executor_.for_each_piece(x_.rows(), rows_a_task,
                           [&](Index begin, Index end) { set_piece(n, begin, end, parts[begin / rows_a_task]); });
  std::vector<double> sum(n.gram.size(), 0.0);
  for (const std::vector<double>& part : parts) std::ranges::transform(part, sum, sum.begin(), std::plus());
  return sum;
}

void ScoreGradient::add_couplings(const SummedLayer& n, const std::vector<double>& covariance,
                                  std::span<Real> gradient) const {
  const Index width = model_.layout()[n.layer].unit->width();
  for (const EnergyTerm::Bilinear& c : model_.couplings_) {
    const bool first = c.a == n.layer;
    if (!(first || c.b == n.layer) || !kept_.contains(first ? c.b : c.a)) continue;
    const Matrix<double>& w = n.couplings[first ? c.b : c.a];  // of all terms that couple the two
    const MatrixRef out = c.w.of(gradient.data());
    for (Index j = 0; j < w.shape(1); ++j) {
      for (Index d = 0; d < n.columns; ++d) {
        double sum = 0.0;
        for (Index e = 0; e < width; ++e) sum += covariance[d * width + e] * w(d / width * width + e, j);
        (first ? out(d, j) : out(j, d)) += static_cast<Real>(2.0 * divergence_weight_ * sum);
      }
    }
  }
}

void ScoreGradient::add_precisions(std::span<Real> gradient) const {
  const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (const LayerId l : model_.layout().ids(kept_)) {
    const std::optional<Index> offset = model_.learned_precision(l);
    if (!offset) continue;
    const std::vector<double> gamma = model_.exact_precisions(l);
    std::transform(gamma.begin(), gamma.end(), &gradient[*offset], &gradient[*offset],
                   [&](double g, Real sum) { return sum - static_cast<Real>(divergence_weight_ * total * g); });
  }
}

void ScoreGradient::add(std::span<Real> gradient) {
  for (const SummedLayer& n : summed_layers(model_, kept_)) {
    const std::vector<double> covariance = set_summed(n);
    if (divergence_weight_ != 0.0) add_couplings(n, covariance, gradient);
  }
  add_precisions(gradient);
  const Index rows = x_.rows();
  Moments q;
  std::vector<double> of_rows(2 * rows);
  std::ranges::transform(weights_, of_rows.begin(), [](double w) { return -0.5 * w; });
  std::ranges::transform(weights_, &of_rows[rows], [](double w) { return 0.5 * w; });
  for (const LayerId l : model_.layout().ids()) {
    const Index columns = model_.layout()[l].columns();
    q.mean.push_back({means_[l].data(), 2 * rows, columns, columns});
    q.second.push_back(seconds_[l].empty() ? ConstMatrixRef{}
                                           : ConstMatrixRef{seconds_[l].data(), 2 * rows, columns, columns});
  }
  model_.factorized_expectation()->add_gradient(q, of_rows, gradient, executor_);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
