#include <harmonium/program/work/pairwise_moments.hpp>

#include <algorithm>
#include <cmath>

#include <xtensor-blas/xlinalg.hpp>
#include <xtensor/xview.hpp>

#include <harmonium/framework/model/zero_sum_gauge.hpp>
#include <harmonium/program/work/free_parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index moments_at_once = 512;

}  // namespace

std::vector<Places> own_numbers(const EnergyModel& model) {
  std::vector<Places> all;
  for (const ParameterBlock& block : model.parameter_layout().blocks()) {
    if (!block.learned) continue;
    for_each_free(block, model.layout(), [&](Index place) {
      const Index entry = place - block.offset, r = entry / block.cols, c = entry % block.cols;
      all.push_back({place});
      for (Index i = 1; block.uniform && i < block.size(); ++i) all.back().push_back(place + i);
      if (block.symmetry != Symmetry::none && r != c) all.back().push_back(block.offset + c * block.cols + r);
    });
  }
  return all;
}

std::optional<PairwiseMoments> PairwiseMoments::of(const EnergyModel& model, const std::vector<Places>& numbers) {
  const Layout& layout = model.layout();
  if (layout.layers().size() != 1) return {};
  const Layer& layer = layout.layers().front();
  const bool spins = layer.unit->name() == "spin";
  if (!spins && layer.unit->name() != "binary" && !has_gauge(*layer.unit)) return {};
  std::vector<Index> number_at(model.parameters().size(), numbers.size());
  PairwiseMoments found;
  found.spins_ = spins;
  found.width_ = layer.unit->width();
  found.terms_.resize(layer.columns());
  for (Index k = 0; k < numbers.size(); ++k) {
    for (const Index place : numbers[k]) number_at[place] = k;
    found.values_.push_back(static_cast<double>(model.parameters()[numbers[k].front()]));
  }
  const auto couple = [&](Index number, Index a, Index b) {
    if (number == numbers.size()) return;
    found.terms_[a].push_back({number, b});
    if (a != b) found.terms_[b].push_back({number, a});
  };
  for (const ParameterBlock& block : model.parameter_layout().blocks()) {
    if (block.role == ParameterRole::bias) {
      for (Index c = 0; c < block.rows; ++c) couple(number_at[block.offset + c], c, c);
    } else if (block.role == ParameterRole::edges) {
      for (const Edge& e : *block.edges)
        for (Index s = 0; s < found.width_; ++s)
          couple(number_at[block.offset + e.entry], e.a * found.width_ + s, e.b * found.width_ + s);
    } else if (block.role == ParameterRole::coupling && block.symmetry != Symmetry::none) {
      for (Index a = 0; a < block.rows; ++a)
        for (Index b = a + 1; b < block.cols; ++b) couple(number_at[block.offset + a * block.cols + b], a, b);
    } else {
      return {};
    }
  }
  for (const std::vector<Term>& terms : found.terms_) {
    std::vector<Index>& own = found.numbers_of_column_.emplace_back();
    for (const Term& t : terms) own.push_back(t.number);
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
  }
  return found;
}

class PairwiseMoments::Unit {
 public:
  Unit(const PairwiseMoments& of, Index unit, ConstMatrixRef rows) : of_(of), first_(unit * of.width_), rows_(rows) {
    for (Index a = 0; a < of.width_; ++a) d_.push_back(slopes(first_ + a));
  }
  /// gradients −= the slopes of the log likelihood by its half of each pair, and by its biases.
  void add_likelihood(Matrix<double>& gradients) const {
    for (Index a = 0; a < of_.width_; ++a) {
      const Index column = first_ + a;
      for (Index r = 0; r < rows_.rows; ++r) add(gradients, r, a, 0.5 * x(r, a));
      for (const Term& t : of_.terms_[column])
        for (Index r = 0; t.other == column && r < rows_.rows; ++r) gradients(r, t.number) -= 0.5 * x(r, a);
    }
  }
  /// The same of the log law of the unit given the others; curvature += what that has, over `all` rows.
  void add_conditional(Matrix<double>& gradients, Matrix<double>& curvature, double all) const {
    const Matrix<double> mean = means();
    for (Index a = 0; a < of_.width_; ++a)
      for (Index r = 0; r < rows_.rows; ++r) add(gradients, r, a, x(r, a) - mean(r, a));
    for (Index a = 0; a < of_.width_; ++a)
      for (Index b = 0; b < of_.width_; ++b) {
        const std::vector<Index>& own_a = numbers(a);
        const std::vector<Index>& own_b = numbers(b);
        Matrix<double> weighted = d_[b];
        for (Index r = 0; r < rows_.rows; ++r) {
          const double v = covariance(mean, r, a, b);
          for (Index c = 0; c < own_b.size(); ++c) weighted(r, c) *= v;
        }
        const Matrix<double> h = xt::linalg::dot(xt::transpose(d_[a]), weighted);
        for (Index c = 0; c < own_a.size(); ++c)
          for (Index e = 0; e < own_b.size(); ++e) curvature(own_a[c], own_b[e]) += h(c, e) / all;
      }
  }

 private:
  const std::vector<Index>& numbers(Index a) const { return of_.numbers_of_column_[first_ + a]; }
  double x(Index row, Index a) const { return static_cast<double>(rows_(row, first_ + a)); }
  void add(Matrix<double>& gradients, Index row, Index a, double factor) const {
    const std::vector<Index>& own = numbers(a);
    for (Index c = 0; c < own.size(); ++c) gradients(row, own[c]) -= factor * d_[a](row, c);
  }
  /// D of a column: rows × its numbers.
  Matrix<double> slopes(Index column) const {
    const std::vector<Index>& own = of_.numbers_of_column_[column];
    Matrix<double> d = zeros<double>(rows_.rows, own.size());
    for (const Term& t : of_.terms_[column]) {
      const auto at = static_cast<Index>(std::ranges::lower_bound(own, t.number) - own.begin());
      for (Index r = 0; r < rows_.rows; ++r)
        d(r, at) += t.other == column ? 1.0 : static_cast<double>(rows_(r, t.other));
    }
    return d;
  }
  /// Of the columns given the other units.
  Matrix<double> means() const {
    Matrix<double> m = zeros<double>(rows_.rows, of_.width_);
    for (Index a = 0; a < of_.width_; ++a)
      for (Index r = 0; r < rows_.rows; ++r)
        for (Index c = 0; c < numbers(a).size(); ++c) m(r, a) += of_.values_[numbers(a)[c]] * d_[a](r, c);
    for (Index r = 0; r < rows_.rows; ++r) {
      if (of_.width_ == 1) {
        m(r, 0) = of_.spins_ ? std::tanh(m(r, 0)) : 1.0 / (1.0 + std::exp(-m(r, 0)));
        continue;
      }
      double top = m(r, 0), sum = 0.0;
      for (Index a = 1; a < of_.width_; ++a) top = std::max(top, m(r, a));
      for (Index a = 0; a < of_.width_; ++a) sum += m(r, a) = std::exp(m(r, a) - top);
      for (Index a = 0; a < of_.width_; ++a) m(r, a) /= sum;
    }
    return m;
  }
  double covariance(const Matrix<double>& mean, Index r, Index a, Index b) const {
    if (of_.spins_) return 1.0 - mean(r, 0) * mean(r, 0);
    return mean(r, a) * ((a == b ? 1.0 : 0.0) - mean(r, b));
  }

  const PairwiseMoments& of_;
  Index first_;  ///< of its columns
  ConstMatrixRef rows_;
  std::vector<Matrix<double>> d_;
};

RowMoments PairwiseMoments::operator()(ConstMatrixRef rows, bool of_likelihood, const Execution& execution) const {
  const Index k = values_.size(), n = rows.rows;
  Matrix<double> squares = zeros<double>(k, k), curvature = zeros<double>(of_likelihood ? 0 : k, of_likelihood ? 0 : k);
  Vector<double> sum = zeros<double>(k);
  for (Index first = 0; first < n; first += moments_at_once) {
    execution.executor.check_stop();
    const Index count = std::min(moments_at_once, n - first);
    Matrix<double> gradients = zeros<double>(count, k);
    for (Index u = 0; u < terms_.size() / width_; ++u) {
      const Unit unit(*this, u, rows.slice(first, first + count));
      if (of_likelihood) unit.add_likelihood(gradients);
      else unit.add_conditional(gradients, curvature, static_cast<double>(n));
    }
    squares += xt::linalg::dot(xt::transpose(gradients), gradients);
    sum += xt::sum(gradients, {0});
    if (execution.display)
      execution.display->progress(static_cast<double>(first + count) / static_cast<double>(n), "standard errors");
  }
  const auto rows_in_all = static_cast<double>(n);
  return {sum / rows_in_all, (squares - xt::linalg::outer(sum, sum) / rows_in_all) / (rows_in_all - 1.0), curvature};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
