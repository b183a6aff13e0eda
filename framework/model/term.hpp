#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/model/chains.hpp>
#include <harmonium/framework/model/exact_rows.hpp>
#include <harmonium/framework/model/moments.hpp>
#include <harmonium/framework/model/parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Place of one tensor in θ.
struct Tensor {
  Index position = 0;  ///< in the parameter layout
  Index offset = 0, rows = 0, cols = 0;

  template <class T>
  MatrixView<T> of(T* theta) const {
    return {theta + offset, rows, cols, cols};
  }
};
/// Throws ConfigError for the name of a layer that was not given.
void check_given(const std::string& layer);
/// Appends a tensor to the layout.
Tensor add_tensor(ParameterLayout& parameters, ParameterBlock block);

/// A summand E_t(x; θ_t) of the energy of a layered model, E = Σ_t E_t. With all other units fixed, E_t is linear in a unit's
/// x, except for ½ γ x². Its *field* on the unit is −∂E_t/∂x without that part: Gibbs sampling, mean field, free energies and
/// scores need no more. Every const member may be called from several threads at once; `theta` is θ of the whole model.
/// plugins/third_order is an example, and scripts/new_component.py term NAME writes the beginning of one.
class EnergyTerm {
 public:
  static constexpr const char* kind = "term";
  virtual ~EnergyTerm();
  virtual std::unique_ptr<EnergyTerm> copy() const = 0;

  /// Called once, first of all: finds its layers and appends its tensors. Throws ConfigError if a layer does not exist or does
  /// not suit the term.
  virtual void declare(const Layout& layout, ParameterLayout& parameters) = 0;
  /// The table of a configuration that makes it again, such as `table_of("coupling", options)`.
  virtual Value configuration() const = 0;
  /// E_t for people, with its sign, in plain text: "- sum_ij w_ij visible_i hidden_j". Asked after `declare`.
  virtual std::string formula() const = 0;
  /// The layers whose units occur in E_t.
  virtual LayerSet layers() const = 0;
  /// Whether it couples units of a with units of b; a == b: units of one layer with each other.
  virtual bool couples(LayerId a, LayerId b) const = 0;
  /// For each unit of `layer`, appends the units of that layer it is coupled with. Each pair is entered at both units; repeats
  /// are allowed. False if the term cannot list them: then any two may be coupled.
  virtual bool add_neighbors(LayerId layer, std::vector<std::vector<std::uint32_t>>& neighbors) const;

  /// E_t = −bᵀx of this layer: b, a number a column. Null if the term is not the bias of this layer. A layer has at most one bias.
  virtual const Real* bias(LayerId layer, const Real* theta) const;
  /// E_t = ½ Σ γ x² of this layer: log γ, a number a column. Null if the term is not the precision of this layer. At most one a
  /// layer, of units without a finite domain.
  virtual const Real* log_precision(LayerId layer, const Real* theta) const;
  /// E_t = Σ D x² of this layer, γ = 2 D: D, a number a column, of either sign. Null if the term is not the crystal field of this
  /// layer. At most one a layer, of units of a finite domain that have a curvature.
  virtual const Real* crystal_field(LayerId layer, const Real* theta) const;

  /// out = keep · out − ∂E_t/∂x for columns [begin, end) of `layer`, one of layers(), the other units as in x. If keep is 0,
  /// `out` is overwritten without being read.
  virtual void add_fields(LayerId layer, Index begin, Index end, ConstChainView x, const Real* theta, Real keep,
                          MatrixRef out) const = 0;
  /// The same of the whole layer in double: out −= ∂E_t/∂x.
  virtual void add_exact_fields(LayerId layer, const ExactRows& x, const Real* theta, MatrixView<double> out) const = 0;
  /// out[r] += factor · E_t(x_r), in nats.
  virtual void add_energy(double factor, const ExactRows& x, const Real* theta, std::span<double> out) const = 0;
  /// gradient += Σ_r weights[r] · E_{q_r}[∂E_t/∂θ]; q factorizes over units.
  virtual void add_gradient(const Moments& q, std::span<const double> weights, const Real* theta,
                            std::span<Real> gradient, const Executor& executor) const = 0;
  /// Called after the last add_gradient. A term with a symmetric tensor makes its two halves equal here.
  virtual void finish_gradient(std::span<Real> gradient) const;
  /// Multiplications and additions that the energy of one row takes, for budgets.
  virtual double operations() const = 0;

  /// Called after θ changes. Recomputes what the term keeps of θ. Returns what is wrong with θ, or nothing.
  virtual std::optional<std::string> refresh(const Real* theta);
  /// Keeps only the entries of its tensor at `position` where `mask` is not 0 (EnergyModel::set_mask). False if the term has no
  /// such tensor or takes no mask.
  virtual bool set_mask(ParameterLayout& parameters, Index position, std::vector<std::uint8_t> mask);

  /// Set if E_t is −x_aᵀ W x_b, or −½ x_aᵀ W x_a with symmetric W (then a == b). Gaussian layers coupled only by such terms are
  /// jointly normal and are summed out in closed form.
  struct Bilinear {
    LayerId a{}, b{};
    Tensor w;
    bool lateral() const { return a == b; }
  };
  virtual std::optional<Bilinear> bilinear() const;
};

/// Whether the term couples units of these layers with each other.
bool couples_any(const EnergyTerm& term, LayerSet set, const Layout& layout);

/// A bias of one layer, one number a column: override `bias`, and the model computes the rest. (The terms `precision` and
/// `crystal_field` are such too, of `log_precision` and `crystal_field`; a layer whose units have a curvature has one of
/// them, and no other in its place.)
class UnitTerm : public EnergyTerm {
 public:
  LayerSet layers() const final { return LayerSet().add(layer_); }
  bool couples(LayerId, LayerId) const final { return false; }
  void add_fields(LayerId, Index, Index, ConstChainView, const Real*, Real, MatrixRef) const final {}
  void add_exact_fields(LayerId, const ExactRows&, const Real*, MatrixView<double>) const final {}
  void add_energy(double, const ExactRows&, const Real*, std::span<double>) const final {}
  void add_gradient(const Moments&, std::span<const double>, const Real*, std::span<Real>,
                    const Executor&) const final {}
  double operations() const final { return 0.0; }

 protected:
  /// Its numbers, for its layer; null for another one.
  const Real* numbers(LayerId layer, const Real* theta) const {
    return layer == layer_ ? theta + tensor_.offset : nullptr;
  }

  LayerId layer_{};
  Tensor tensor_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
