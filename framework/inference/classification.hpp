#pragma once

#include <string_view>
#include <vector>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/model/held_mask.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// How well a model tells the class of a row from its other observed units: by p(y | x) ∝ exp(−β F(x, y)), F the free
/// energy of the observed layers (Larochelle & Bengio 2008).
struct Classification {
  Index rows = 0;               ///< whose class is known
  double accuracy = 0.0;        ///< share of these whose class has the largest probability
  double log_likelihood = 0.0;  ///< mean log p(y | x), in nats a row
  double deviations = 0.0;      ///< sum over these of (log p(y | x) - its mean)^2

  /// One standard error of each over rows, as if drawn at random: sqrt(a (1 - a) / n), and of a mean. NaN of one row's mean.
  double accuracy_error() const;
  double log_likelihood_error() const;
  /// Joins that of other rows.
  void add(const Classification& other);
};

/// What a model tells of the class of each row.
struct ToldClasses {
  std::vector<Index> predicted;     ///< the class of the largest probability
  std::vector<double> probability;  ///< its p(y | x)
  /// 1 where the row's own class is the predicted one, else 0; and log p of its own class, in nats. NaN of a row whose class is not
  /// known.
  std::vector<double> right, log_likelihood;

  /// The means over rows whose class is known.
  Classification summary() const;
};

/// Whether the model has an observed layer of this name, of one categorical unit, and a free energy.
bool offers_classification(const EnergyModel& model, std::string_view label_layer);
/// p(class | what is seen of the other observed units) of each row, rows × classes; what `rows` hold in the layer `label_layer` has no
/// meaning. Of units that `seen` does not hold all states are summed over. Throws CapabilityError where it cannot be had.
Matrix<double> class_probabilities(const EnergyModel& model, std::string_view label_layer, const Chains& rows,
                                   const HeldMask& seen, double beta, const Executor& executor);
/// The classes of `rows` are what they hold in the layer `label_layer`, told as above; of a row whose class `seen` does not hold it is
/// not known. Throws CapabilityError where they cannot be told.
ToldClasses tell_classes(const EnergyModel& model, std::string_view label_layer, const Chains& rows,
                         const HeldMask& seen, double beta, const Executor& executor);
/// Their summary.
Classification classify(const EnergyModel& model, std::string_view label_layer, const Chains& rows,
                        const HeldMask& seen, double beta, const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
