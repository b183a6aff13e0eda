#include <harmonium/framework/inference/exact_chain.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include <fmt/format.h>

#include <xtensor-blas/xlinalg.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmath.hpp>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/core/products.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Whether a transition is x → h → x': two draws of units that are independent of each other.
bool in_halves(const EnergyModel& model) {
  const Layout& layout = model.layout();
  const BlockConditionals* conditionals = model.block_conditionals();
  const FreeEnergy* free_energy = model.free_energy();
  return !layout.latent().empty() && conditionals->independent(layout.latent(), layout.observed()) &&
         conditionals->independent(layout.observed(), layout.latent()) && free_energy &&
         free_energy->closed(layout.observed()) && free_energy->closed(layout.latent());
}

Chains all_states(const Layout& layout, const JointStates& space) {
  Chains states(layout, space.size());
  space.write(0, space.size(), states);
  return states;
}

/// Each row: exp(x − log Σ exp x).
void normalize_rows(Matrix<double>& log_weights) {
  for (Index r = 0; r < log_weights.shape(0); ++r) {
    auto of_row = as_xtensor(row_of(log_weights, r));
    of_row = xt::exp(of_row - logsumexp(row_of(log_weights, r)));
  }
}

/// The states that differ in the units of a block only, as what is to be added to the smallest number among them.
std::vector<std::uint64_t> offsets_of(const Block& block, const JointStates& space) {
  std::vector<std::uint64_t> offsets{0};
  for (Index i = 0; i < block.size; ++i) {
    const JointStates::Digit digit = space.digit(block.layer, block.whole() ? i : block.units[i]);
    const std::vector<std::uint64_t> others = offsets;
    for (std::uint64_t state = 1; state < digit.states; ++state)
      for (const std::uint64_t other : others) offsets.push_back(other + state * digit.stride);
  }
  return offsets;
}

/// The smallest number of each set of such states.
std::vector<std::uint64_t> bases_of(const std::vector<std::uint64_t>& offsets, std::uint64_t num_states) {
  std::vector<bool> reached(num_states, false);
  std::vector<std::uint64_t> bases;
  for (std::uint64_t s = 0; s < num_states; ++s) {
    if (reached[s]) continue;
    bases.push_back(s);
    for (const std::uint64_t offset : offsets) reached[s + offset] = true;
  }
  return bases;
}

}  // namespace

double ExactChain::log2_entries(const EnergyModel& model) {
  const Layout& layout = model.layout();
  if (!model.block_conditionals()) return std::numeric_limits<double>::infinity();
  return in_halves(model) ? layout.log2_states(layout.all()) : 2.0 * layout.log2_states(layout.all());
}

ExactChain::ExactChain(const EnergyModel& model, double most_bits, const Executor& executor) : model_(&model) {
  if (!model.block_conditionals())
    throw CapabilityError(
        "the model offers no block conditionals, and the transitions of a Gibbs sampler are made of them.");
  const double bits = log2_entries(model);
  if (bits > most_bits)
    throw CapabilityError(
        std::isinf(bits)
            ? "a layer of the model is continuous, and its states cannot be counted."
            : fmt::format("the transitions of the model's chain are a table of 2^{:.4g} numbers, more than the "
                          "limit of 2^{:.4g}. Take a smaller model.",
                          bits, most_bits));
  const Layout& layout = model.layout();
  const bool halves = in_halves(model);
  space_ = JointStates(layout, halves ? layout.observed() : layout.all());
  states_ = all_states(layout, space_);
  if (halves) make_halves(executor);
  else make_matrix(executor);
}

void ExactChain::set_stationary(std::vector<double> log_weights) {
  log_z_ = logsumexp(log_weights);
  log_stationary_ = std::move(log_weights);
  in_place(std::span(log_stationary_)) -= log_z_;
  stationary_.resize(log_stationary_.size());
  in_place(std::span(stationary_)) = xt::exp(as_xtensor(std::span(log_stationary_)));
}

void ExactChain::make_halves(const Executor& executor) {
  const Layout& layout = model_->layout();
  latent_space_ = JointStates(layout, layout.latent());
  const Chains latent = all_states(layout, latent_space_);
  Matrix<double> backward = zeros<double>(latent.size(), states_.size());
  executor.for_each_piece(latent.size(), 64, [&](Index begin, Index end) {
    Chains rows = states_;
    for (Index h = begin; h < end; ++h) {
      rows.copy_to_all(layout.latent(), latent, h);
      model_->energy(rows, row_of(backward, h));
    }
  });
  backward = -backward;
  Matrix<double> forward = xt::transpose(backward);
  std::vector<double> log_weights(states_.size());
  for (Index x = 0; x < states_.size(); ++x) log_weights[x] = logsumexp(row_of(forward, x));
  set_stationary(std::move(log_weights));
  normalize_rows(forward);
  normalize_rows(backward);
  halves_.push_back(std::move(forward));
  halves_.push_back(std::move(backward));
}

void ExactChain::make_matrix(const Executor& executor) {
  const Index num_states = states_.size();
  std::vector<double> log_weights(num_states);
  model_->energy(states_, log_weights);
  std::ranges::transform(log_weights, log_weights.begin(), std::negate());
  Matrix<double> laws = xt::eye(num_states);
  for (const Block& block : model_->block_conditionals()->blocks()) {
    const std::vector<std::uint64_t> offsets = offsets_of(block, space_), bases = bases_of(offsets, num_states);
    Matrix<double> conditional = zeros<double>(bases.size(), offsets.size());
    for (Index g = 0; g < bases.size(); ++g)
      std::ranges::transform(offsets, row_of(conditional, g).begin(),
                             [&](std::uint64_t offset) { return log_weights[bases[g] + offset]; });
    normalize_rows(conditional);
    executor.for_each_piece(num_states, 64, [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r) {
        const std::span<double> law = row_of(laws, r);
        for (Index g = 0; g < bases.size(); ++g) {
          double mass = 0.0;
          for (const std::uint64_t offset : offsets) mass += law[bases[g] + offset];
          for (Index i = 0; i < offsets.size(); ++i) law[bases[g] + offsets[i]] = mass * conditional(g, i);
        }
      }
    });
  }
  set_stationary(std::move(log_weights));
  halves_.push_back(std::move(laws));
}

void ExactChain::advance(Matrix<double>& laws) const {
  for (const Matrix<double>& half : halves_) laws = product(laws, half);
}

Matrix<double> ExactChain::transition_matrix() const {
  return has_halves() ? product(halves_[0], halves_[1]) : halves_[0];
}

Matrix<double> ExactChain::start(const Chains& rows) const {
  const Layout& layout = model_->layout();
  Matrix<double> laws = zeros<double>(rows.size(), num_states());
  const JointStates observed(layout, layout.observed());
  std::map<std::uint64_t, std::vector<Index>> states_of;
  for (Index s = 0; s < num_states(); ++s) states_of[observed.number(states_, s)].push_back(s);
  for (Index r = 0; r < rows.size(); ++r) {
    const std::vector<Index>& those = states_of[observed.number(rows, r)];
    LogSumExp sum;
    for (const Index s : those) sum.add(log_stationary_[s]);
    for (const Index s : those) laws(r, s) = std::exp(log_stationary_[s] - sum.value());
  }
  return laws;
}

Matrix<double> ExactChain::laws(const Chains& rows, Index t) const {
  Matrix<double> laws = start(rows);
  for (Index step = 1; step < t; ++step) advance(laws);
  return laws;
}

double ExactChain::second_eigenvalue() const {
  if (num_states() < 2) return 0.0;
  if (!has_halves()) {
    const BlasCall room;
    Vector<double> sizes = xt::abs(xt::linalg::eigvals(halves_[0]));
    std::ranges::sort(sizes, std::greater());
    return sizes(1);
  }
  // K is similar to M Mᵀ with M(x, h) = P(x, h) / √(P(x) P(h)) = √(P(h | x) P(x | h)).
  const Matrix<double> m = xt::sqrt(halves_[0] * xt::transpose(halves_[1]));
  const bool by_rows = m.shape(0) <= m.shape(1);
  const Index size = std::min(m.shape(0), m.shape(1));
  Matrix<double> square = zeros<double>(size, size);
  gemm(by_rows ? Transpose::no : Transpose::yes, by_rows ? Transpose::yes : Transpose::no, 1.0, as_matrix(m),
       as_matrix(m), 0.0, as_matrix(square));
  const BlasCall room;
  const auto values = xt::linalg::eigvalsh(square);  // ascending
  return size < 2 ? 0.0 : std::max(0.0, values(size - 2));
}

Matrix<double> ExactChain::energy_gradients() const {
  const Executor executor(1);
  std::vector<Real> gradient(model_->parameters().size());
  Matrix<double> all = zeros<double>(num_states(), gradient.size());
  const std::vector<double> one{1.0};
  for (Index s = 0; s < num_states(); ++s) {
    std::ranges::fill(gradient, Real{0});
    const ConstChainView state(states_, s, s + 1);
    if (has_halves()) model_->free_energy()->add_gradient(space_.layers(), state, one, gradient, executor);
    else model_->add_gradient(state, one, gradient, executor);
    std::ranges::copy(gradient, row_of(all, s).begin());
  }
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
