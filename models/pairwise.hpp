#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/core/zeroed_allocator.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/models/joint_gaussian.hpp>
#include <harmonium/models/sparse_lateral.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Which layers a pairwise model has and which of them are coupled. A pair (a, a) couples the units of one layer.
struct LayerGraph {
  std::vector<Layer> layers;
  std::vector<std::pair<Index, Index>> couplings;
  /// Layers whose precisions are learned; of units that have none, nothing is meant.
  std::vector<Index> learned_precisions;
};

/// The pairwise model over a graph of layers of any units:
///   E(x) = Σ_l [ −b_lᵀx_l + ½ Σ_i γ_li x_li² ] − Σ_(a<b) x_aᵀ W_ab x_b − ½ Σ_a x_aᵀ L_aa x_a,
/// L symmetric with zero diagonal, γ > 0 only for units that have a curvature. An RBM is this with one coupling; the
/// general Boltzmann machine of Bengio & Delalleau (2009), equation 2.2, has L = U + Uᵀ and V + Vᵀ off the diagonal.
///
/// Units of the whole real line that are coupled with one another (within a layer or across layers) are jointly normal given
/// the others; the density exists only where their precision matrix, γ on its diagonal and −L, −W beside it, is positive
/// definite.
///
/// Parameters: `bias.<layer>` (columns), `weight.<a>.<b>` (columns of a × columns of b), `log_precision.<layer>` (log γ).
class Pairwise final : public EnergyModel,
                       private BlockConditionals,
                       private LayerKernel,
                       private FactorisedExpectation,
                       private FreeEnergy,
                       private StateGradient,
                       private Score {
 public:
  /// All parameters are 0. Throws ConfigError for a coupling of layers that do not exist, or given twice.
  explicit Pairwise(LayerGraph graph);

  const Layout& layout() const override { return layout_; }
  const ParameterLayout& parameter_layout() const override { return parameter_layout_; }
  std::span<const Real> parameters() const override { return theta_; }
  /// Throws NumericalError where a lateral coupling is not symmetric with zero diagonal, a precision
  /// is 0 or infinite, that of coupled Gaussian units is not positive definite, or units on half lines are coupled so that no
  /// density is sure to exist (half_line.hpp).
  void update_parameters(FunctionRef<void(std::span<Real>)> write) override;

  /// Of a coupling. Within a layer the units are coloured, and a sweep goes over the couplings that exist only.
  void set_mask(Index position, std::vector<std::uint8_t> mask) override;

  void energy(ConstChainView x, std::span<double> out) const override;
  void add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override;

  const BlockConditionals* block_conditionals() const override { return this; }
  const LayerKernel* layer_kernel() const override { return this; }
  const FactorisedExpectation* factorised_expectation() const override { return this; }
  const FreeEnergy* free_energy() const override { return this; }
  /// Null where no layer is continuous.
  const StateGradient* state_gradient() const override;
  const Score* score() const override { return state_gradient() ? this : nullptr; }
  std::unique_ptr<EnergyModel> copy() const override { return std::make_unique<Pairwise>(*this); }

 private:
  struct Coupling {
    LayerId a, b;
    Index block;  ///< in the parameter layout
    bool lateral() const { return a == b; }
  };

  const std::vector<Block>& blocks() const override { return blocks_; }
  void fields(const Block& block, Index begin, Index end, ConstChainView x, const Fields& out) const override;
  bool independent(LayerSet free, LayerSet given) const override;

  bool draws(LayerId layer) const override { return !lateral(layer) || two_states(layer) || gaussian(layer); }
  bool follows(LayerId layer, std::span<const Block* const> blocks) const override;
  bool divisible(LayerId layer) const override { return !lateral(layer); }
  void redraw(const Draw& draw, ChainView x) const override;

  void add_gradient(const Moments& q, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override;

  bool closed(LayerSet kept) const override;
  void evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const override;
  void add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override;
  void log_ratios(const Layout& layout, LayerSet kept, double beta, ConstChainView x, LayerId layer,
                  std::span<const Index> units, MatrixView<double> out) const override;
  void add_neighbour_gradient(const Layout& layout, LayerSet kept, ConstChainView x, LayerId layer,
                              MatrixView<const double> weights, std::span<Real> gradient,
                              const Executor& executor) const override;
  double operations(LayerSet kept) const override;

  void evaluate(ConstChainView x, std::span<const MatrixRef> out) const override;

  /// Of Gaussian layers, the others being discrete or Gaussian and not coupled with one another.
  bool offered(LayerSet kept) const override;
  void evaluate(LayerSet kept, ConstChainView x, std::span<const MatrixRef> score,
                std::span<double> divergence) const override;
  void add_gradient(LayerSet kept, ConstChainView x, std::span<const ConstMatrixRef> directions,
                    std::span<const double> weights, double divergence_weight, std::span<Real> gradient,
                    const Executor& executor) const override;

  bool lateral(LayerId layer) const;
  /// Null where the layer has no lateral couplings, or all of them.
  const SparseLateral* sparse(LayerId layer) const {
    const auto& found = sparse_[static_cast<Index>(layer)];
    return found ? &*found : nullptr;
  }
  void make_blocks();
  LayerSet without(LayerSet kept) const;
  /// Whether the units of a layer are normal given the others.
  bool gaussian(LayerId layer) const;
  /// The Gaussian layers of `set` that are coupled with one of `set`: their units are jointly normal, not independent.
  LayerSet coupled_gaussians(LayerSet set) const;
  /// Whether its units, given the others, are normal but for a bound on one side.
  bool on_half_line(LayerId layer) const;
  /// Such layers that are coupled with one another or with Gaussian ones, and these; none where all are Gaussian.
  LayerSet coupled_half_lines() const;
  bool half_lines_have_density() const;
  /// Their law given all others, but for its fields; `own` keeps it where it is not the one at hand.
  const JointGaussian& joint_law(LayerSet coupled, std::optional<JointGaussian>& own) const;
  std::vector<double> joint_precision(LayerSet coupled) const;
  /// First column of each layer among those of `coupled`, one beside the other.
  std::vector<Index> joint_columns(LayerSet coupled) const;
  /// Makes the two halves of symmetric tensors one, to the bit, and what is absent 0: after the last sum.
  void finish_gradient(std::span<Real> gradient) const;
  /// What is wrong with θ; nothing, and the laws that follow from it made anew, where all is well.
  std::optional<std::string> refresh();

  /// Whether the units have two states and one column: what is drawn in order by a kernel of its own.
  bool two_states(LayerId layer) const;
  void redraw_in_order(const Draw& draw, ChainView x) const;
  /// Coupled Gaussian units of a layer from their joint law given the others; in rows of which some are held, in order.
  void redraw_jointly(const Draw& draw, ChainView x) const;
  ConstMatrixRef tensor(Index block) const { return parameter_layout_.view(block, theta_.data()); }
  const Real* bias(LayerId layer) const {
    return theta_.data() + parameter_layout_[bias_[static_cast<Index>(layer)]].offset;
  }
  /// out = Σ over the couplings of `layer` to others, for the columns [begin, end) of the layer; zero without any.
  void add_up_fields(LayerId layer, Index begin, Index end, ConstChainView x, bool with_lateral, MatrixRef out) const;
  /// out = b + Σ over the couplings of `layer` to the kept layers, in double.
  void kept_fields(LayerId layer, LayerSet kept, ConstChainView x, MatrixView<double> out) const;
  /// The same of a kept layer itself, its own couplings included.
  void own_fields(LayerId layer, LayerSet kept, ConstChainView x, MatrixView<double> out) const;
  /// The couplings of some columns of `layer` (rows) with the columns of `other`; empty where there are none.
  template <class T>
  std::vector<T> couplings_of(LayerId layer, std::span<const Index> columns, LayerId other) const;
  struct ScoreNeighbour;
  std::vector<ScoreNeighbour> score_neighbours(LayerSet kept) const;
  /// kept_fields of all of `coupled`, one beside the other.
  void joint_fields(LayerSet coupled, LayerSet kept, ConstChainView x, MatrixView<double> out) const;
  /// γ of a layer that has it, for units [begin, end), one row for all chains.
  std::vector<Real> precisions(LayerId layer, Index begin, Index end) const;
  /// The same in double, of the whole layer; zeros where its units have none.
  std::vector<double> exact_precisions(LayerId layer) const;

  Layout layout_;
  ParameterLayout parameter_layout_;
  std::vector<Coupling> couplings_;
  std::vector<Index> bias_, log_precision_;  ///< parameter blocks of each layer; the latter past the end where absent
  std::vector<std::optional<SparseLateral>> sparse_;  ///< of each layer with a mask on its lateral couplings
  std::vector<Block> blocks_;
  LayerSet half_lines_;                                    ///< coupled_half_lines()
  LayerSet coupled_;                                       ///< Gaussian layers that are coupled with one another
  std::optional<JointGaussian> joint_;                     ///< theirs; made of θ
  std::vector<std::optional<JointGaussian>> lateral_law_;  ///< of each layer of Gaussian units with lateral couplings
  std::vector<Real, ZeroedAllocator<Real>> theta_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
