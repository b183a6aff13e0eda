#pragma once

#include <cmath>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

enum class Symmetry : std::uint8_t { none, symmetric_zero_diagonal };

/// What a tensor does in the energy. `bias`: the term −b·x of one layer. `coupling`: the term −x_aᵀ W x_b of two
/// layers, or −½ xᵀ L x within one (then symmetric with zero diagonal). `edges`: −Σ_e w_e x_iᵀ x_j over listed pairs of units
/// of one layer. `log_precision` and `crystal_field`: log γ, or D = γ/2, of the term ½ γ x² of one layer. Centering, decay and
/// learning-rate factors go by it.
enum class ParameterRole : std::uint8_t { bias, coupling, edges, log_precision, crystal_field, other };
std::string_view name_of(ParameterRole role);

/// Two units of a layer, a < b, and the entry of a tensor of the role `edges` that couples them.
struct Edge {
  std::uint32_t a, b, entry;
};

/// Name, shape, role, the layers it joins, and place of one tensor in the flat vector θ.
struct ParameterBlock {
  std::string name;
  Index rows = 0, cols = 1, offset = 0;
  Symmetry symmetry = Symmetry::none;
  ParameterRole role = ParameterRole::other;
  std::vector<LayerId> layers = {};
  bool learned = true;   ///< false: part of the model, but no gradient moves it
  bool uniform = false;  ///< all entries are one parameter, written once an entry; the slope by it stands at each
  /// rows × cols, 0 for what does not exist: that entry is 0 and no gradient moves it. Null: all exist.
  std::shared_ptr<const std::vector<std::uint8_t>> mask = {};
  /// Of the role `edges`: no pair twice; an entry may couple several. Null in all other roles.
  std::shared_ptr<const std::vector<Edge>> edges = {};

  Index size() const { return rows * cols; }
  /// 1 where file and messages show a vector.
  Index rank() const { return cols == 1 ? 1 : 2; }
};

/// Whether it weighs products of units.
inline bool is_coupling(const ParameterBlock& block) {
  return block.role == ParameterRole::coupling || block.role == ParameterRole::edges;
}

/// Whether it says γ of ½ γ x².
inline bool is_curvature(const ParameterBlock& block) {
  return block.role == ParameterRole::log_precision || block.role == ParameterRole::crystal_field;
}

/// γ by what such a tensor holds.
template <class T>
T curvature_of(ParameterRole role, T value) {
  return role == ParameterRole::crystal_field ? 2 * value : std::exp(value);
}

/// The tensors of a model in order. Parameters, gradient and optimizer memory share it, so that optimizers see only
/// spans and centering knows what couples what.
class ParameterLayout {
 public:
  ParameterLayout() = default;
  ParameterLayout(std::initializer_list<ParameterBlock> blocks);
  /// Appends a tensor and returns its position. Throws ConfigError where θ would have more entries than can be addressed.
  Index add(ParameterBlock block);
  Index size() const { return size_; }
  const std::vector<ParameterBlock>& blocks() const { return blocks_; }
  const ParameterBlock& operator[](Index position) const { return blocks_[position]; }
  /// Position of the tensor called `name`; blocks().size() where there is none.
  Index find(std::string_view name) const;
  /// Says which entries of a tensor exist. Throws ConfigError where `mask` has not an entry for each of its, or is not
  /// symmetric with an empty diagonal where the tensor is.
  void set_mask(Index position, std::vector<std::uint8_t> mask);
  /// Sets what does not exist to 0 in a vector of this layout: parameters, or a gradient.
  void clear_absent(std::span<Real> flat) const;

  template <class T>
  MatrixView<T> view(Index position, T* flat) const {
    const ParameterBlock& b = blocks_[position];
    return {flat + b.offset, b.rows, b.cols, b.cols};
  }

 private:
  std::vector<ParameterBlock> blocks_;
  Index size_ = 0;
};

/// How many numbers of a tensor are free: those that exist, a symmetric pair counted once, and a uniform tensor as one.
Index free_entries(const ParameterBlock& block);

/// Throws ConfigError where θ alone takes more memory than this machine has: to be called before it is allocated.
void check_fits(const ParameterLayout& layout);

/// body(place in θ) for the entries of a tensor, of a symmetric one those above the diagonal, of a uniform one the first.
template <class Body>
void for_each_entry(const ParameterBlock& b, const Body& body) {
  if (b.uniform) {
    if (b.size() > 0) body(b.offset);
    return;
  }
  for (Index r = 0; r < b.rows; ++r)
    for (Index c = b.symmetry == Symmetry::none ? 0 : r + 1; c < b.cols; ++c) body(b.offset + r * b.cols + c);
}

/// `sum` + Σ over the entries of a tensor of f(place in θ, value), a symmetric pair and a uniform tensor counted once.
template <class T, class F>
double sum_over_block(const ParameterBlock& b, const T* flat, const F& f, double sum = 0.0) {
  for_each_entry(b, [&](Index i) { sum += f(i, static_cast<double>(flat[i])); });
  return sum;
}

/// The same over all of θ. For norms, decays and cosines.
template <class T, class F>
double sum_over_parameters(const ParameterLayout& layout, const T* flat, const F& f) {
  double sum = 0.0;
  for (const ParameterBlock& b : layout.blocks()) sum = sum_over_block(b, flat, f, sum);
  return sum;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
