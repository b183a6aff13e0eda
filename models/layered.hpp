#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <harmonium/framework/core/zeroed_allocator.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/model/exact_fields.hpp>
#include <harmonium/framework/model/term.hpp>
#include <harmonium/models/continuous_law.hpp>
#include <harmonium/models/layered_capabilities.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Layers, and which of them are coupled pair by pair: a layered model of biases, couplings and precisions alone.
struct LayerGraph {
  std::vector<Layer> layers;
  std::vector<std::pair<Index, Index>> couplings;  ///< of two layers; (a, a): of the units of one layer with each other
  std::vector<Index> learned_precisions = {};      ///< layers; ignored for units without a precision
};

struct SummedLayer;

using EnergyTerms = std::vector<std::unique_ptr<EnergyTerm>>;

/// What `with_unit_terms` leaves out, and which precisions are learned (crystal fields are); layers by their positions.
struct UnitTermsWanted {
  std::vector<Index> without_bias = {}, learned_precisions = {};
};
/// Adds what layers have unless `terms` has it: a bias, in front, and behind the rest a precision or a crystal field where their
/// units have one.
EnergyTerms with_unit_terms(const std::vector<Layer>& layers, EnergyTerms terms, const UnitTermsWanted& wanted = {});

/// The model whose energy is a sum of terms over layers of any units,
///   E(x; θ) = Σ_t E_t(x; θ_t),
/// each linear within one unit but for ½ γ x². An RBM is biases and one coupling; the general Boltzmann machine of Bengio &
/// Delalleau (2009), equation 2.2, has a lateral term in each layer besides. All that it offers it asks of its terms.
///
/// Units of the whole real line that are coupled with one another (within a layer or across layers) are jointly normal given
/// the others; the density exists only where their precision matrix, γ on its diagonal and −L, −W beside it, is positive
/// definite.
///
/// Parameters: those of the terms, in their order; with the terms of this folder `bias.<layer>` (columns), `weight.<a>.<b>`
/// (columns of a × columns of b), `log_precision.<layer>` (log γ) and `crystal_field.<layer>` (D = γ/2).
class LayeredModel final : public EnergyModel,
                           private FactorizedExpectation,
                           private StateGradient,
                           private ExactFields {
 public:
  /// All parameters are 0. Throws ConfigError for terms of layers that do not exist, two tensors of one name, two biases or
  /// precisions of one layer, and layers whose units have a curvature and that have no term of it.
  LayeredModel(std::vector<Layer> layers, EnergyTerms terms);
  explicit LayeredModel(const LayerGraph& graph);
  LayeredModel(const LayeredModel& other);
  LayeredModel& operator=(const LayeredModel&) = delete;

  const Layout& layout() const override { return layout_; }
  const ParameterLayout& parameter_layout() const override { return parameter_layout_; }
  std::span<const Real> parameters() const override { return theta_; }
  /// Throws NumericalError where a term refuses θ (a lateral coupling that is not symmetric with zero diagonal, a precision
  /// that is 0 or infinite), where the precision matrix of coupled Gaussian units is not positive definite, or units on half
  /// lines are coupled so that no density is sure to exist (half_line.hpp).
  void update_parameters(FunctionRef<void(std::span<Real>)> write) override;
  /// Of a coupling. Within a layer the units are colored, and a sweep goes over the couplings that exist only.
  void set_mask(Index position, std::vector<std::uint8_t> mask) override;

  void energy(ConstChainView x, std::span<double> out) const override;
  void add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override;

  const BlockConditionals* block_conditionals() const override { return &conditionals_; }
  const LayerKernel* layer_kernel() const override { return &kernel_; }
  const FactorizedExpectation* factorized_expectation() const override { return this; }
  const FreeEnergy* free_energy() const override { return &free_energy_; }
  /// Null where no layer is continuous.
  const StateGradient* state_gradient() const override;
  const Score* score() const override { return state_gradient() ? &score_ : nullptr; }
  std::unique_ptr<EnergyModel> copy() const override { return std::make_unique<LayeredModel>(*this); }
  /// ExactFields.
  const void* extension(std::string_view id) const override;

  std::string formula() const override;
  Value configuration() const override;
  const EnergyTerms& terms() const { return terms_; }

 private:
  friend class LayeredConditionals;
  friend class LayeredKernel;
  friend class LayeredFreeEnergy;
  friend class LayeredScore;
  friend class ContinuousLaw;
  friend class NeighborRatios;
  friend class NeighborGradient;
  friend class ScoreGradient;
  friend std::vector<SummedLayer> summed_layers(const LayeredModel& model, LayerSet kept);

  void declare_terms();
  void find_unit_terms();
  void check_continuous() const;
  void make_blocks();
  /// What is wrong with θ; nothing, and what follows from it made anew, where all is well.
  std::optional<std::string> refresh();
  void add_bias_gradient(const Moments& q, std::span<const double> weights, std::span<Real> gradient,
                         const Executor& executor) const;
  void finish_gradient(std::span<Real> gradient) const;
  void evaluate(ConstChainView x, std::span<const MatrixRef> out) const override;
  void add_gradient(const Moments& q, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override;
  void exact_fields(LayerId layer, LayerSet given, const ExactRows& x, MatrixView<double> out) const override {
    kept_fields(layer, given, x, out);
  }
  std::vector<double> exact_curvatures(LayerId layer) const override { return exact_precisions(layer); }

  /// Whether units of the layer are coupled with each other.
  bool lateral(LayerId layer) const;
  /// Whether the term adds to the fields of the layer by what other units are: it is neither its bias nor its curvature.
  bool joins(const EnergyTerm& term, LayerId layer) const;
  /// The bias of a layer: zeros where no term gives it one.
  const Real* bias(LayerId layer) const;
  /// out = Σ over the terms of −∂E_t/∂x for the columns [begin, end) of the layer, biases and precisions left out; zero without
  /// any. Those that couple its own units count where `with_lateral`.
  void fields_without_bias(LayerId layer, Index begin, Index end, ConstChainView x, bool with_lateral,
                           MatrixRef out) const;
  /// In double, out = β Σ (½ γ x² − b x) over the units of these layers.
  void unit_energies(LayerSet layers, double beta, ConstChainView x, std::span<double> out) const;
  /// In double, out = b + what the kept layers add to the fields of a layer that is summed out.
  void kept_fields(LayerId layer, LayerSet kept, const ExactRows& x, MatrixView<double> out) const;
  /// The same of a kept layer itself, what couples its own units included.
  void own_fields(LayerId layer, LayerSet kept, const ExactRows& x, MatrixView<double> out) const;
  /// γ of a layer whose units have it, for columns [begin, end), one row for all chains.
  std::vector<Real> precisions(LayerId layer, Index begin, Index end) const;
  /// The same in double, of the whole layer; zeros where its units have none.
  std::vector<double> exact_precisions(LayerId layer) const;
  /// Where log γ of the layer begins in θ; nothing where it has none, or none that is learned.
  std::optional<Index> learned_precision(LayerId layer) const;
  /// The same of its crystal field D.
  std::optional<Index> learned_crystal_field(LayerId layer) const;
  /// Where the tensor that `values` points at begins; nothing for null, or where it is not learned.
  std::optional<Index> learned_at(const Real* values) const;
  /// The couplings of some columns of `layer` (rows) with the columns of `other`; empty where there are none.
  template <class T>
  std::vector<T> couplings_of(LayerId layer, std::span<const Index> columns, LayerId other) const;
  ConstMatrixRef values(const EnergyTerm::Bilinear& coupling) const { return coupling.w.of(theta_.data()); }
  /// Whether every term that touches a layer of `set` and another unit is a bilinear one, or a lattice of Gaussian units.
  bool bilinear_only(LayerSet set) const;

  Layout layout_;
  ParameterLayout parameter_layout_;
  EnergyTerms terms_;
  std::vector<EnergyTerm::Bilinear> couplings_;      ///< of the bilinear terms, in their order
  std::vector<const EnergyTerm*> bias_, curvature_;  ///< of each layer; null where there is none
  std::vector<Block> blocks_;
  ContinuousLaw law_;
  std::vector<Real, ZeroedAllocator<Real>> theta_, zeros_;
  LayeredConditionals conditionals_{*this};
  LayeredKernel kernel_{*this};
  LayeredFreeEnergy free_energy_{*this};
  LayeredScore score_{*this};
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
