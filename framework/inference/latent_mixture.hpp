#pragma once

#include <optional>
#include <span>
#include <vector>

#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/inference/joint_states.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/model/exact_fields.hpp>
#include <harmonium/framework/model/held_mask.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A model whose observed units are independent of each other given some latent layers, which have few states a: its law is a
/// mixture of as many that factorize, and what was not seen of a row is summed or integrated out in closed form a unit,
///   Σ_unseen h(x) exp(−β F(x)) = Σ_a e^{w(a)} Π_seen h(x_i) exp(β (f_i(a) x_i − ½ γ_i x_i²)) Π_unseen Z_i(β, f_i(a), γ_i).
/// In double in both precisions.
class LatentMixture {
 public:
  /// Nothing where the model is no such mixture of at most 2^`most_enumerated_bits` states, or offers no ExactFields.
  static std::optional<LatentMixture> of(const EnergyModel& model);

  /// The layers a of such a mixture, whatever the number of their states; nothing where the model is none.
  static std::optional<LayerSet> latent_layers(const EnergyModel& model);

  /// −log of that sum in nats, of the rows that `which` names, in its order.
  std::vector<double> free_energies(const Chains& rows, const HeldMask& seen, std::span<const Index> which, double beta,
                                    const Executor& executor) const;
  /// E[x | seen] of the columns of all observed layers, at β = 1: Σ_a p(a | seen) E[x_i | a] of units that were not seen, and what
  /// `rows` holds of the others. A row for each that `which` names. `variances`, where not null, receives
  /// Σ_a p(a | seen) E[x_i² | a] − E[x_i | seen]² likewise, 0 of units that were seen.
  Matrix<double> means(const Chains& rows, const HeldMask& seen, std::span<const Index> which, const Executor& executor,
                       Matrix<double>* variances = nullptr) const;
  /// E[h | seen] of the columns of a latent layer, at β = 1: Σ_a p(a | seen) E[h | a], h being a itself where the layer is one of those that
  /// are summed over. A row for each that `which` names.
  Matrix<double> latent_means(LayerId layer, const Chains& rows, const HeldMask& seen, std::span<const Index> which,
                              const Executor& executor) const;
  std::uint64_t num_states() const { return states_.size(); }
  LayerSet summed_over() const { return states_.layers(); }
  /// Multiplications and additions of a row, and what a call takes besides.
  double operations_of_row() const;
  double operations_of_states() const;
  /// The most bytes that a call has in memory beside the rows.
  double bytes() const;

 private:
  /// What does not depend on rows, of some states.
  struct Part {
    std::vector<double> weights;                 ///< w
    PerLayer<std::vector<double>> fields;        ///< β f, columns × states
    PerLayer<std::vector<double>> log_sums;      ///< log Z_i, units × states
    std::uint64_t begin = 0;                     ///< the first of these states
    PerLayer<std::vector<double>> means = {};    ///< E[x_i | a], columns × states; empty where nobody asked
    PerLayer<std::vector<double>> squares = {};  ///< E[x_i² | a], likewise
  };
  /// Of row `which[i]`: log of the terms of the states of a part, but for what is the same of all states.
  using OfPart = FunctionRef<void(const Part& part, Index i, std::span<const double> terms)>;

  LatentMixture(const EnergyModel& model, const ExactFields& fields, LayerSet summed_over);
  Part part(std::uint64_t begin, std::uint64_t end, double beta) const;
  /// The fields f of a layer, states × columns, and β f into the part.
  std::vector<double> add_fields(LayerId layer, const ExactRows& states, double beta, Part& part) const;
  void add_layer(LayerId layer, const ExactRows& states, double beta, Part& part) const;
  /// Fills in the means of a part: of all observed layers, of one whose fields it has, and of a latent one.
  void add_means(Part& part, double beta, bool squares) const;
  void add_means_of_fields(LayerId layer, Part& part, double beta, bool squares) const;
  void add_latent_means(LayerId layer, Part& part) const;
  /// Calls `body` for every part, in order, and every row that is named, rows side by side. `finish` is called of each part before.
  void for_each_part(const Chains& rows, const HeldMask& seen, std::span<const Index> which, double beta,
                     const Executor& executor, FunctionRef<void(Part&)> finish, OfPart body) const;
  /// log of the terms of the states of `part`, but for what is the same of all states.
  void log_terms(const Part& part, const Chains& rows, const HeldMask& seen, Index row, std::span<double> out) const;
  /// What is: Σ_seen log h(x) − ½ β γ x².
  std::vector<double> of_all_states(const Chains& rows, const HeldMask& seen, std::span<const Index> which,
                                    double beta) const;

  const EnergyModel* model_;
  const ExactFields* fields_;
  JointStates states_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
