#include <harmonium/program/work/pairwise_moments.hpp>

#include <algorithm>
#include <cmath>

#include <xtensor-blas/xlinalg.hpp>
#include <xtensor/xview.hpp>

#include <harmonium/program/work/free_parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index moments_at_once = 512;

/// Mean and variance of a unit of the field η.
struct Conditional {
  double mean, variance;
};
Conditional conditional(double eta, bool spins) {
  if (spins) {
    const double m = std::tanh(eta);
    return {m, 1.0 - m * m};
  }
  const double p = 1.0 / (1.0 + std::exp(-eta));
  return {p, p * (1.0 - p)};
}

}  // namespace

std::vector<Places> own_numbers(const EnergyModel& model) {
  std::vector<Places> all;
  for (const ParameterBlock& block : model.parameter_layout().blocks())
    for_each_free(block, model.layout(), [&](Index place) {
      const Index entry = place - block.offset, r = entry / block.cols, c = entry % block.cols;
      all.push_back({place});
      if (block.symmetry != Symmetry::none && r != c) all.back().push_back(block.offset + c * block.cols + r);
    });
  return all;
}

std::optional<PairwiseMoments> PairwiseMoments::of(const EnergyModel& model, const std::vector<Places>& numbers) {
  const Layout& layout = model.layout();
  if (layout.layers().size() != 1) return {};
  const Layer& layer = layout.layers().front();
  const bool spins = layer.unit->name() == "spin";
  if (!spins && layer.unit->name() != "binary") return {};
  std::vector<Index> number_at(model.parameters().size(), numbers.size());
  PairwiseMoments found;
  found.spins_ = spins;
  found.terms_.resize(layer.size);
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
      for (Index u = 0; u < block.rows; ++u) couple(number_at[block.offset + u], u, u);
    } else if (block.role == ParameterRole::edges) {
      for (const Edge& e : *block.edges) couple(number_at[block.offset + e.entry], e.a, e.b);
    } else if (block.role == ParameterRole::coupling && block.symmetry != Symmetry::none) {
      for (Index a = 0; a < block.rows; ++a)
        for (Index b = a + 1; b < block.cols; ++b) couple(number_at[block.offset + a * block.cols + b], a, b);
    } else {
      return {};
    }
  }
  for (const std::vector<Term>& terms : found.terms_) {
    std::vector<Index>& own = found.numbers_of_unit_.emplace_back();
    for (const Term& t : terms) own.push_back(t.number);
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
  }
  return found;
}

RowMoments PairwiseMoments::operator()(ConstMatrixRef rows, bool of_likelihood, const Execution& execution) const {
  const Index k = values_.size(), n = rows.rows;
  Matrix<double> squares = zeros<double>(k, k), curvature = zeros<double>(of_likelihood ? 0 : k, of_likelihood ? 0 : k);
  Vector<double> sum = zeros<double>(k);
  for (Index first = 0; first < n; first += moments_at_once) {
    execution.executor.check_stop();
    const Index count = std::min(moments_at_once, n - first);
    Matrix<double> gradients = zeros<double>(count, k);
    for (Index u = 0; u < terms_.size(); ++u) {
      const std::vector<Index>& own = numbers_of_unit_[u];
      Matrix<double> d = zeros<double>(count, own.size()), weighted = d;
      for (const Term& t : terms_[u]) {
        const auto column = static_cast<Index>(std::ranges::lower_bound(own, t.number) - own.begin());
        for (Index r = 0; r < count; ++r)
          d(r, column) += t.other == u ? 1.0 : static_cast<double>(rows(first + r, t.other));
      }
      for (Index r = 0; r < count; ++r) {
        const auto x = static_cast<double>(rows(first + r, u));
        double eta = 0.0;
        for (Index c = 0; c < own.size(); ++c) eta += values_[own[c]] * d(r, c);
        const Conditional law = conditional(eta, spins_);
        // Of the likelihood each pair is met at both of its units.
        for (Index c = 0; c < own.size(); ++c)
          gradients(r, own[c]) -= (of_likelihood ? 0.5 * x : x - law.mean) * d(r, c);
        for (Index c = 0; c < own.size(); ++c) weighted(r, c) = law.variance * d(r, c);
        if (!of_likelihood) continue;
        for (const Term& t : terms_[u])
          if (t.other == u) gradients(r, t.number) -= 0.5 * x;
      }
      if (of_likelihood) continue;
      const Matrix<double> h = xt::linalg::dot(xt::transpose(d), weighted);
      for (Index a = 0; a < own.size(); ++a)
        for (Index b = 0; b < own.size(); ++b) curvature(own[a], own[b]) += h(a, b) / static_cast<double>(n);
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
