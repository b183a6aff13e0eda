#include <harmonium/framework/inference/exact_chain.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <xtensor-blas/xlinalg.hpp>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/core/xtensor.hpp>

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

/// Copies row `row` of the layers `set` into every row of `to`.
void copy_to_all(const Layout& layout, LayerSet set, const Chains& from, Index row, Chains& to) {
  for (const LayerId l : layout.ids()) {
    if (!set.contains(l)) continue;
    const ConstMatrixRef x = from.read(l);
    const MatrixRef out = to.write(l);
    for (Index r = 0; r < out.rows; ++r) std::copy(x.row(row), x.row(row) + x.cols, out.row(r));
  }
}

Chains all_states(const Layout& layout, const JointStates& space) {
  Chains states(layout, space.size());
  space.write(0, space.size(), states);
  return states;
}

/// Each row: exp(x − log Σ exp x).
void normalise_rows(DenseMatrix& log_weights) {
  for (Index r = 0; r < log_weights.rows; ++r) {
    const std::span<double> row(log_weights.row(r), log_weights.cols);
    const double sum = logsumexp(row);
    for (double& x : row) x = std::exp(x - sum);
  }
}

/// The states that differ in the units of a block only, as what is to be added to the least number among them.
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

/// The least number of each set of such states.
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
  for (double& w : log_weights) w -= log_z_;
  log_stationary_ = std::move(log_weights);
  for (const double p : log_stationary_) stationary_.push_back(std::exp(p));
}

void ExactChain::make_halves(const Executor& executor) {
  const Layout& layout = model_->layout();
  latent_space_ = JointStates(layout, layout.latent());
  const Chains latent = all_states(layout, latent_space_);
  DenseMatrix backward(latent.size(), states_.size()), forward(states_.size(), latent.size());
  executor.for_each_piece(latent.size(), 64, [&](Index begin, Index end) {
    Chains rows = states_;
    for (Index h = begin; h < end; ++h) {
      copy_to_all(layout, layout.latent(), latent, h, rows);
      model_->energy(rows, {backward.row(h), backward.cols});
      for (Index x = 0; x < backward.cols; ++x) backward(h, x) = -backward(h, x);
    }
  });
  for (Index h = 0; h < latent.size(); ++h)
    for (Index x = 0; x < states_.size(); ++x) forward(x, h) = backward(h, x);
  std::vector<double> log_weights(states_.size());
  for (Index x = 0; x < states_.size(); ++x) log_weights[x] = logsumexp({forward.row(x), forward.cols});
  set_stationary(std::move(log_weights));
  normalise_rows(forward);
  normalise_rows(backward);
  halves_.push_back(std::move(forward));
  halves_.push_back(std::move(backward));
}

void ExactChain::make_matrix(const Executor& executor) {
  const Index num_states = states_.size();
  std::vector<double> log_weights(num_states);
  model_->energy(states_, log_weights);
  for (double& w : log_weights) w = -w;
  DenseMatrix laws(num_states, num_states);
  for (Index s = 0; s < num_states; ++s) laws(s, s) = 1.0;
  for (const Block& block : model_->block_conditionals()->blocks()) {
    const std::vector<std::uint64_t> offsets = offsets_of(block, space_), bases = bases_of(offsets, num_states);
    DenseMatrix conditional(bases.size(), offsets.size());
    for (Index g = 0; g < bases.size(); ++g)
      for (Index i = 0; i < offsets.size(); ++i) conditional(g, i) = log_weights[bases[g] + offsets[i]];
    normalise_rows(conditional);
    executor.for_each_piece(num_states, 64, [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r) {
        double* law = laws.row(r);
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

void ExactChain::advance(DenseMatrix& laws) const {
  for (const DenseMatrix& half : halves_) {
    DenseMatrix next(laws.rows, half.cols);
    gemm(Transpose::no, Transpose::no, 1.0, std::as_const(laws).view(), half.view(), 0.0, next.view());
    laws = std::move(next);
  }
}

DenseMatrix ExactChain::transition_matrix() const {
  if (!has_halves()) return halves_[0];
  DenseMatrix matrix(num_states(), num_states());
  gemm(Transpose::no, Transpose::no, 1.0, halves_[0].view(), halves_[1].view(), 0.0, matrix.view());
  return matrix;
}

DenseMatrix ExactChain::start(const Chains& rows) const {
  const Layout& layout = model_->layout();
  DenseMatrix laws(rows.size(), num_states());
  const JointStates observed(layout, layout.observed());
  std::vector<std::uint64_t> seen;
  for (Index s = 0; s < num_states(); ++s) seen.push_back(observed.number(states_, s));
  for (Index r = 0; r < rows.size(); ++r) {
    const std::uint64_t number = observed.number(rows, r);
    LogSumExp sum;
    for (Index s = 0; s < num_states(); ++s)
      if (seen[s] == number) sum.add(log_stationary_[s]);
    for (Index s = 0; s < num_states(); ++s)
      if (seen[s] == number) laws(r, s) = std::exp(log_stationary_[s] - sum.value());
  }
  return laws;
}

DenseMatrix ExactChain::laws(const Chains& rows, Index t) const {
  DenseMatrix laws = start(rows);
  for (Index step = 1; step < t; ++step) advance(laws);
  return laws;
}

double ExactChain::second_eigenvalue() const {
  if (num_states() < 2) return 0.0;
  if (!has_halves()) {
    const BlasCall room;
    const auto values = xt::linalg::eigvals(as_xtensor(halves_[0].view()));
    std::vector<double> sizes;
    for (const auto& value : values) sizes.push_back(std::abs(value));
    std::ranges::sort(sizes, std::greater());
    return sizes[1];
  }
  // K is similar to M Mᵀ with M(x, h) = P(x, h) / √(P(x) P(h)) = √(P(h | x) P(x | h)).
  DenseMatrix m(num_states(), latent_space_.size());
  for (Index x = 0; x < m.rows; ++x)
    for (Index h = 0; h < m.cols; ++h) m(x, h) = std::sqrt(halves_[0](x, h) * halves_[1](h, x));
  const bool by_rows = m.rows <= m.cols;
  const Index size = std::min(m.rows, m.cols);
  DenseMatrix square(size, size);
  gemm(by_rows ? Transpose::no : Transpose::yes, by_rows ? Transpose::yes : Transpose::no, 1.0, std::as_const(m).view(),
       std::as_const(m).view(), 0.0, square.view());
  const BlasCall room;
  const auto values = xt::linalg::eigvalsh(as_xtensor(std::as_const(square).view()));  // ascending
  return size < 2 ? 0.0 : std::max(0.0, values(size - 2));
}

DenseMatrix ExactChain::energy_gradients() const {
  const Executor executor(1);
  DenseMatrix all(num_states(), model_->parameters().size());
  std::vector<Real> gradient(all.cols);
  const std::vector<double> one{1.0};
  for (Index s = 0; s < num_states(); ++s) {
    std::ranges::fill(gradient, Real{0});
    const ConstChainView state(states_, s, s + 1);
    if (has_halves()) model_->free_energy()->add_gradient(space_.layers(), state, one, gradient, executor);
    else model_->add_gradient(state, one, gradient, executor);
    std::ranges::copy(gradient, all.row(s));
  }
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
