#include <harmonium/models/terms/lateral.hpp>

#include <string>

#include <fmt/format.h>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/kernels/bit_products.hpp>
#include <harmonium/models/terms/outer_products.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Whether one of the triangles beside the blocks of units on the diagonal is 0.
bool has_one_triangle(ConstMatrixRef w, Index width) {
  bool above = false, below = false;
  for (Index i = 0; i < w.rows; ++i)
    for (Index j = 0; j < w.cols; ++j) {
      if (w(i, j) == 0 || i / width == j / width) continue;
      (i < j ? above : below) = true;
    }
  return above != below;
}

/// How couplings become symmetric.
std::string remedy_of_asymmetry(ConstMatrixRef w, Index width) {
  if (!has_one_triangle(w, width)) return "where both are meant, give (J + J^T) / 2";
  return width == 1 ? "one of its triangles is 0: give J + J^T"
                    : "one of its triangles is 0: give J + J^T, of J[unit, state, unit, state] J + J.transpose(2, 3, "
                      "0, 1)";
}

/// What is wrong with the entries (i, j) and (j, i) of couplings within a layer of units of `width` columns.
std::string words_on_pair(ConstMatrixRef w, Index i, Index j, Index width) {
  if (w(i, j) != w(j, i))
    return fmt::format(
        "entries ({}, {}) and ({}, {}) are {} and {}, but a lateral coupling is symmetric with zero diagonal; {}", i, j,
        j, i, w(i, j), w(j, i), remedy_of_asymmetry(w, width));
  const Index unit = i / width, s = i % width, t = j % width;
  if (width == 1) return fmt::format("unit {} is coupled with itself, by {}: put 0 on the diagonal", unit, w(i, i));
  if (s == t)
    return fmt::format(
        "state {} of unit {} is coupled with itself by {}: put 0 into each {} x {} block on the diagonal, and the "
        "energy of a state into the bias",
        s, unit, w(i, i), width, width);
  return fmt::format(
      "states {} and {} of unit {} are coupled with each other by {}, and a site is in one state: put 0 into each {} x "
      "{} block on the diagonal",
      s, t, unit, w(i, j), width, width);
}

}  // namespace

void LateralTerm::declare(const Layout& layout, ParameterLayout& parameters) {
  layer_ = layout.find(options_.layer);
  width_ = layout[layer_].unit->width();
  tensor_ = add_tensor(parameters, {.name = "weight." + options_.layer + "." + options_.layer,
                                    .rows = layout[layer_].columns(),
                                    .cols = layout[layer_].columns(),
                                    .symmetry = Symmetry::symmetric_zero_diagonal,
                                    .role = ParameterRole::coupling,
                                    .layers = {layer_, layer_}});
}

bool LateralTerm::add_neighbors(LayerId layer, std::vector<std::vector<std::uint32_t>>& neighbors) const {
  if (layer != layer_) return true;
  if (!sparse_) return false;
  sparse_->add_neighbors(neighbors);
  return true;
}

void LateralTerm::add_fields(LayerId layer, Index begin, Index end, ConstChainView x, const Real* theta, Real keep,
                             MatrixRef out) const {
  // A product for a whole layer with a mask too: the entries one by one are for the single units that a block has.
  if (!sparse_ || end - begin == tensor_.cols) {
    gemm(Transpose::no, Transpose::no, Real{1}, x[layer], tensor_.of(theta).columns(begin, end), keep, out);
    return;
  }
  const ConstMatrixRef own = x[layer];
  for (Index r = 0; r < out.rows; ++r)
    for (Index c = 0; c < out.cols; ++c)
      out(r, c) = (keep == 0 ? Real{0} : keep * out(r, c)) + sparse_->field(own.row(r), begin + c);
}

void LateralTerm::add_exact_fields(LayerId layer, const ExactRows& x, const Real* theta, MatrixView<double> out) const {
  constexpr double few = 0.125;  // of all entries: fewer cost less one by one than as a matrix
  if (sparse_ && sparse_->num_products() <= few * static_cast<double>(tensor_.rows * tensor_.cols))
    return sparse_->add_fields(x[layer], 1.0, out);
  std::vector<double> own;
  state_product(x[layer], Transpose::no, exact_.of(tensor_.of(theta), own), 1.0, out);
}

void LateralTerm::add_energy(double factor, const ExactRows& x, const Real* theta, std::span<double> out) const {
  if (sparse_) {
    sparse_->add_quadratic_forms(-factor, x[layer_], out);
    return;
  }
  std::vector<double> own;
  add_bilinear_forms(factor * -0.5, x[layer_], exact_.of(tensor_.of(theta), own), x[layer_], out);
}

void LateralTerm::add_gradient(const Moments& q, std::span<const double> weights, const Real*, std::span<Real> gradient,
                               const Executor& executor) const {
  const ConstMatrixRef x = q.mean[static_cast<Index>(layer_)];
  const MatrixRef out = tensor_.of(gradient.data());
  if (!sparse_) {
    subtract_outer_products(x, x, weights, out, executor);
    return;
  }
  sparse_->add_gradient(x, weights, {out.data, tensor_.rows * tensor_.cols}, executor);
}

void LateralTerm::finish_gradient(std::span<Real> gradient) const {
  // One parameter a pair, written twice; a unit is not coupled to itself. Both halves come from one sum.
  const MatrixRef out = tensor_.of(gradient.data());
  if (sparse_) return sparse_->mirror(out);  // what else there is does not exist, and is made 0
  for (Index i = 0; i < out.rows; ++i)
    for (Index j = i; j < out.cols; ++j) out(j, i) = out(i, j) = i / width_ == j / width_ ? Real{0} : out(i, j);
}

double LateralTerm::operations() const {
  return 2.0 * (sparse_ ? sparse_->num_products() : static_cast<double>(tensor_.rows * tensor_.cols));
}

std::optional<std::string> LateralTerm::refresh(const Real* theta) {
  const ConstMatrixRef w = tensor_.of(theta);
  exact_.follow(w);
  for (Index i = 0; i < w.rows; ++i) {
    for (Index j = i; j < w.cols; ++j) {
      const bool own = i / width_ == j / width_;
      if (w(i, j) == w(j, i) && (!own || w(i, j) == 0)) continue;
      return fmt::format("weight.{}.{}: {}", options_.layer, options_.layer, words_on_pair(w, i, j, width_));
    }
  }
  if (sparse_) sparse_->refresh(w.data);
  return {};
}

bool LateralTerm::set_mask(ParameterLayout& parameters, Index position, std::vector<std::uint8_t> mask) {
  if (position != tensor_.position) return false;
  for (Index i = 0; i < mask.size(); ++i)
    if (i / tensor_.cols / width_ == i % tensor_.cols / width_) mask[i] = 0;  // states of one unit
  parameters.set_mask(position, std::move(mask));
  std::vector<CoupledColumns> pairs;
  const std::vector<std::uint8_t>& kept = *parameters[position].mask;
  for (Index i = 0; i < tensor_.rows; ++i)
    for (Index j = i + 1; j < tensor_.cols; ++j)
      if (const Index entry = i * tensor_.cols + j; kept[entry] != 0)
        pairs.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), entry});
  sparse_.emplace(pairs, tensor_.cols, width_);
  return true;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
