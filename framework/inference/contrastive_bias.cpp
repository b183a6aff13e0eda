#include <harmonium/framework/inference/contrastive_bias.hpp>

#include <algorithm>
#include <cmath>

#include <xtensor/xmath.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xview.hpp>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/core/products.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

Matrix<double> columns_of(const Matrix<double>& all, const std::vector<Index>& columns) {
  return xt::view(all, xt::all(), xt::keep(columns));
}

/// Σ_x P(x) g(x) of each column, less `laws` · g: for laws of X_1 the gradient Δ, for those of X_{k+1} the bias δ_k.
Matrix<double> difference_to_model(const ExactChain& chain, const Matrix<double>& laws,
                                   const Matrix<double>& gradients) {
  return product(as_xtensor(std::span(chain.stationary())) - laws, gradients);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

BiasStatistics statistics(const Matrix<double>& exact, const Matrix<double>& bias) {
  const auto count = static_cast<double>(exact.size());
  BiasStatistics result;
  const Matrix<double> full = xt::abs(exact), lost = xt::abs(bias);
  const Matrix<double> ratios = xt::where(xt::equal(lost, 0.0), 0.0, lost / full);
  result.delta = sum_in_order(lost / count);
  result.r_clipped_mean = sum_in_order(xt::minimum(ratios, 2.0) / count);
  result.s = sum_in_order(xt::cast<double>(xt::not_equal(xt::sign(exact - bias), xt::sign(exact)))) / count;
  result.r_ratio_of_means = result.delta / sum_in_order(full / count);
  result.r_median = median({ratios.begin(), ratios.end()});
  for (Index r = 0; r < exact.shape(0); ++r) {
    const auto e = as_xtensor(row_of(exact, r));
    const Vector<double> c = e - as_xtensor(row_of(bias, r));
    const double ee = sum_in_order(e * e), ec = sum_in_order(e * c), cc = sum_in_order(c * c);
    if (ee > 0.0 && cc > 0.0) result.cosine += ec / std::sqrt(ee * cc) / static_cast<double>(exact.shape(0));
  }
  return result;
}

template <class Take>
std::vector<Index> entries_where(const ParameterLayout& layout, const Take& take) {
  std::vector<Index> entries;
  for (const ParameterBlock& b : layout.blocks()) {
    if (take(b)) for_each_entry(b, [&](Index i) { entries.push_back(i); });
  }
  return entries;
}

/// Of each unit the sum over its bias and couplings of what `part` takes of each.
template <class Part>
FieldBounds sums_of_fields(const EnergyModel& model, const Part& part) {
  const Layout& layout = model.layout();
  const ParameterLayout& parameters = model.parameter_layout();
  const PerLayer<Index> observed = layout.first_columns(layout.observed()),
                        latent = layout.first_columns(layout.latent());
  FieldBounds sums{std::vector<double>(layout.columns(layout.observed()), 0.0),
                   std::vector<double>(layout.columns(layout.latent()), 0.0)};
  const auto sum_of = [&](LayerId l, Index column) -> double& {
    return layout[l].role == Role::observed ? sums.observed[observed[l] + column] : sums.latent[latent[l] + column];
  };
  for (Index k = 0; k < parameters.blocks().size(); ++k) {
    const ParameterBlock& b = parameters[k];
    const ConstMatrixRef w = parameters.view(k, model.parameters().data());
    if (b.role != ParameterRole::bias && b.role != ParameterRole::coupling) continue;
    for (Index i = 0; i < w.rows; ++i)
      for (Index j = 0; j < w.cols; ++j) {
        const double size = part(static_cast<double>(w(i, j)), b.role);
        sum_of(b.layers[0], i) += size;
        if (b.role == ParameterRole::coupling && b.symmetry == Symmetry::none) sum_of(b.layers[1], j) += size;
      }
  }
  return sums;
}

double largest(const std::vector<double>& values) { return values.empty() ? 0.0 : *std::ranges::max_element(values); }

/// max_u max(|b_u + Σ of its positive couplings|, |b_u + Σ of its negative ones|).
double largest_field(const EnergyModel& model) {
  double most = 0.0;
  for (const double side : {1.0, -1.0}) {
    const FieldBounds fields = sums_of_fields(
        model, [&](double x, ParameterRole role) { return role == ParameterRole::bias || side * x > 0.0 ? x : 0.0; });
    for (const double field : fields.observed) most = std::max(most, std::abs(field));
    for (const double field : fields.latent) most = std::max(most, std::abs(field));
  }
  return most;
}

void check_binary_halves(const ExactChain& chain) {
  bool fits = chain.has_halves();
  for (const Layer& layer : chain.model().layout().layers()) {
    fits = fits && layer.unit->num_states() == 2 && layer.unit->width() == 1 && layer.unit->min() == 0.0 &&
           layer.unit->max() == 1.0;
  }
  if (!fits)
    throw CapabilityError(
        "the bounds of contrastive divergence hold for binary units whose observed and latent layers are each "
        "independent "
        "given the other, as in an RBM.");
}

}  // namespace

Matrix<double> log_likelihood_gradients(const ExactChain& chain, const Chains& rows) {
  return difference_to_model(chain, chain.start(rows), chain.energy_gradients());
}

Matrix<double> expected_contrastive_divergences(const ExactChain& chain, const Chains& rows, Index k) {
  return product(chain.laws(rows, k + 1) - chain.start(rows), chain.energy_gradients());
}

std::vector<Index> coupling_entries(const ParameterLayout& layout) {
  return entries_where(layout, [](const ParameterBlock& b) { return b.role == ParameterRole::coupling; });
}

std::vector<Index> all_entries(const ParameterLayout& layout) {
  return entries_where(layout, [](const ParameterBlock&) { return true; });
}

std::vector<BiasStatistics> contrastive_bias(const ExactChain& chain, const Chains& rows, Index most_steps,
                                             std::span<const Index> entries) {
  const Matrix<double> gradients = columns_of(chain.energy_gradients(), {entries.begin(), entries.end()});
  Matrix<double> laws = chain.start(rows);
  const Matrix<double> exact = difference_to_model(chain, laws, gradients);
  std::vector<BiasStatistics> all;
  for (Index k = 1; k <= most_steps; ++k) {
    chain.advance(laws);
    all.push_back(statistics(exact, difference_to_model(chain, laws, gradients)));
  }
  return all;
}

double FieldBounds::alpha() const { return largest(observed); }
double FieldBounds::beta() const { return largest(latent); }

FieldBounds field_bounds(const EnergyModel& model) {
  return sums_of_fields(model, [](double x, ParameterRole) { return std::abs(x); });
}

ContrastiveBounds contrastive_bounds(const ExactChain& chain, Index k) {
  check_binary_halves(chain);
  const FieldBounds fields = field_bounds(chain.model());
  const auto n_x = static_cast<double>(chain.num_states()), n_h = static_cast<double>(chain.latent_space().size());
  const auto d_x = static_cast<double>(fields.observed.size()), d_h = static_cast<double>(fields.latent.size());
  const auto steps = static_cast<double>(k);
  double product = 1.0;
  for (const double field : fields.observed) product *= logistic(-field);
  for (const double field : fields.latent) product *= logistic(-field);
  const Matrix<double> matrix = chain.transition_matrix();
  const double min = *std::min_element(matrix.begin(), matrix.end());
  const auto decayed = [&](double rate) { return std::pow(std::max(0.0, 1.0 - rate), steps); };
  ContrastiveBounds bounds;
  bounds.paper =
      n_x * decayed(n_x * n_h * std::pow(logistic(-fields.alpha()), d_x) * std::pow(logistic(-fields.beta()), d_h));
  bounds.product = n_x * decayed(n_x * n_h * product);
  bounds.minorization = n_x * decayed(n_x * min);
  bounds.sharp = decayed(n_x * min);
  bounds.energy_range = decayed(std::exp(-(d_x + d_h) * largest_field(chain.model())));
  return bounds;
}

std::vector<double> total_variations(const ExactChain& chain, const Chains& rows, Index k) {
  const Matrix<double> laws = chain.laws(rows, k + 1);
  std::vector<double> all;
  for (Index r = 0; r < laws.shape(0); ++r)
    all.push_back(0.5 * sum_in_order(xt::abs(as_xtensor(row_of(laws, r)) - as_xtensor(std::span(chain.stationary())))));
  return all;
}

std::vector<double> eigenvalue_bounds(const ExactChain& chain, const Chains& rows, Index k, double second_eigenvalue) {
  if (!chain.has_halves())
    throw CapabilityError(
        "the bound by an eigenvalue holds for reversible chains, such as that of an RBM's visible units.");
  std::vector<double> all;
  for (Index r = 0; r < rows.size(); ++r) {
    const double log_p = chain.log_stationary()[chain.space().number(rows, r)];
    all.push_back(0.5 * std::pow(second_eigenvalue, static_cast<double>(k)) * std::sqrt(std::expm1(-log_p)));
  }
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
