#include <algorithm>

#include <harmonium/framework/inference/held_state.hpp>
#include <harmonium/framework/inference/latent_mixture.hpp>
#include <harmonium/framework/inference/second_moments.hpp>
#include <harmonium/framework/inference/weighted_mean.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

namespace {

/// Makes ready to add the terms of a part to a row's sums: their weights.
std::vector<double> weights_of(std::span<const double> terms, WeightedMean& of_row) {
  of_row.expect(*std::ranges::max_element(terms));
  std::vector<double> weights(terms.size());
  std::ranges::transform(terms, weights.begin(), [&](double term) { return of_row.weight(term); });
  for (const double w : weights) of_row.add_weight(w);
  return weights;
}

}  // namespace

void LatentMixture::add_means_of_fields(LayerId layer, Part& part, double beta, bool squares) const {
  const Layer& own = model_->layout()[layer];
  const Index size = part.weights.size(), columns = own.columns();
  UnitBuffer buffer(*own.unit, size, columns);
  const Fields fields = buffer.fields();
  for (Index a = 0; a < size; ++a)
    for (Index c = 0; c < columns; ++c) fields.linear(a, c) = static_cast<Real>(part.fields[layer][c * size + a]);
  if (own.unit->has_curvature()) {
    const std::vector<double> gamma = fields_->exact_curvatures(layer);
    for (Index a = 0; a < size; ++a)
      for (Index c = 0; c < columns; ++c) fields.curvature(a, c) = static_cast<Real>(beta * gamma[c]);
  }
  const auto by_column = [&](const auto& values) {
    std::vector<double> found(columns * size);
    for (Index c = 0; c < columns; ++c)
      for (Index a = 0; a < size; ++a) found[c * size + a] = static_cast<double>(values(a, c));
    return found;
  };
  if (squares) part.squares[layer] = by_column(second_moments(*own.unit, buffer.fields()));
  own.unit->moments(buffer.fields(), buffer.first(), {});
  part.means[layer] = by_column(buffer.first());
}

void LatentMixture::add_means(Part& part, double beta, bool squares) const {
  const Layout& layout = model_->layout();
  part.means = PerLayer<std::vector<double>>(layout.size());
  part.squares = PerLayer<std::vector<double>>(layout.size());
  for (const LayerId l : layout.ids(layout.observed())) add_means_of_fields(l, part, beta, squares);
}

void LatentMixture::add_latent_means(LayerId layer, Part& part) const {
  const Layout& layout = model_->layout();
  const Index size = part.weights.size(), columns = layout[layer].columns();
  part.means = PerLayer<std::vector<double>>(layout.size());
  Chains states(layout, size);
  states_.write(part.begin, part.begin + size, states);
  if (!states_.layers().contains(layer)) {
    add_fields(layer, ExactRows{ConstChainView(states)}, 1.0, part);
    return add_means_of_fields(layer, part, 1.0, false);
  }
  const ConstMatrixRef values = states.read(layer);
  part.means[layer].resize(columns * size);
  for (Index c = 0; c < columns; ++c)
    for (Index a = 0; a < size; ++a) part.means[layer][c * size + a] = static_cast<double>(values(a, c));
}

Matrix<double> LatentMixture::means(const Chains& rows, const HeldMask& seen, std::span<const Index> which,
                                    const Executor& executor, Matrix<double>* variances) const {
  const Layout& layout = model_->layout();
  const PerLayer<Index> first = layout.first_columns(layout.observed());
  const Index columns = layout.columns(layout.observed());
  const auto held = [&](LayerId l, Index i, Index c) {
    return holds_unit(seen, l, which[i], c / layout[l].unit->width());
  };
  std::vector<WeightedMean> sums(which.size(), WeightedMean(variances ? 2 * columns : columns));
  for_each_part(
      rows, seen, which, 1.0, executor, [&](Part& part) { add_means(part, 1.0, variances != nullptr); },
      [&](const Part& part, Index i, std::span<const double> terms) {
        WeightedMean& of_row = sums[i];
        const std::vector<double> weights = weights_of(terms, of_row);
        const auto add = [&](const std::vector<double>& of_states, Index c, double& sum) {
          const double* values = &of_states[c * terms.size()];
          for (Index a = 0; a < terms.size(); ++a) sum += weights[a] * values[a];
        };
        for (const LayerId l : layout.ids(layout.observed()))
          for (Index c = 0; c < layout[l].columns(); ++c) {
            if (held(l, i, c)) continue;
            add(part.means[l], c, of_row.sums()[first[l] + c]);
            if (variances) add(part.squares[l], c, of_row.sums()[columns + first[l] + c]);
          }
      });
  Matrix<double> found = zeros<double>(which.size(), columns);
  if (variances) *variances = zeros<double>(which.size(), columns);
  for (Index i = 0; i < which.size(); ++i)
    for (const LayerId l : layout.ids(layout.observed()))
      for (Index c = 0; c < layout[l].columns(); ++c) {
        const Index at = first[l] + c;
        const bool seen_here = held(l, i, c);
        found(i, at) = seen_here ? static_cast<double>(rows.read(l)(which[i], c)) : sums[i].mean(at);
        if (variances && !seen_here)
          (*variances)(i, at) = std::max(0.0, sums[i].mean(columns + at) - found(i, at) * found(i, at));
      }
  return found;
}

Matrix<double> LatentMixture::latent_means(LayerId layer, const Chains& rows, const HeldMask& seen,
                                           std::span<const Index> which, const Executor& executor) const {
  const Index columns = model_->layout()[layer].columns();
  std::vector<WeightedMean> sums(which.size(), WeightedMean(columns));
  for_each_part(
      rows, seen, which, 1.0, executor, [&](Part& part) { add_latent_means(layer, part); },
      [&](const Part& part, Index i, std::span<const double> terms) {
        const std::vector<double> weights = weights_of(terms, sums[i]);
        for (Index c = 0; c < columns; ++c) {
          const double* mean = &part.means[layer][c * terms.size()];
          double& sum = sums[i].sums()[c];
          for (Index a = 0; a < terms.size(); ++a) sum += weights[a] * mean[a];
        }
      });
  Matrix<double> found = zeros<double>(which.size(), columns);
  for (Index i = 0; i < which.size(); ++i)
    for (Index c = 0; c < columns; ++c) found(i, c) = sums[i].mean(c);
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
