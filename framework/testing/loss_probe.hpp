#pragma once

#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/testing/estimator_subject.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// The loss that an estimator tells, and its slope, as functions of the free parameters that are learned: those of θ, and
/// those of the estimator's own.
struct LossProbe {
  static constexpr const char* check = "gradient against differences of the loss";
  static constexpr const char* advice =
      ". Look for a sign, a factor, or a part of the loss that the gradient has otherwise.";

  /// A change of free parameters: `by[i]` of number i.
  struct Direction {
    std::string name;
    std::vector<double> by;
  };
  /// Central differences of fourth order (differences.hpp) of steps h and 2h.
  struct Slopes {
    double fine, coarse;
  };

  explicit LossProbe(EstimatorSubject& estimated);

  /// What a new estimator says first.
  EstimatorSubject::Estimate estimate(std::uint64_t seed) { return e.estimate(*e.begun(), seed, e.one_thread); }
  double slope_of(const std::vector<Real>& gradient, const Direction& direction) const;
  Slopes differences(const Direction& direction, double h, std::uint64_t seed);
  /// The mean of `num` gradients, of the free parameters.
  std::vector<double> mean_gradient(Index num);
  /// What rounding of terms of this size makes of a difference of step h.
  static double rounding(double of_terms, double h);

  EstimatorSubject& e;
  std::vector<std::vector<Index>> free;                            ///< those that are learned
  std::vector<std::pair<std::string, std::vector<Index>>> blocks;  ///< tensors, and their numbers in `free`
  double scale;  ///< of the terms of an energy, which rounding goes by

 private:
  /// The loss with θ moved by `by` times the direction. The estimator begins where θ is, and is met by other θ as in a run.
  double loss_at(const Direction& direction, double by, std::uint64_t seed);
};

/// Over many sets of random words, along some directions: the loss must grow as the gradients say. `jumps` is what a
/// comparison set by set complains of, and `smooth` whether the loss has a slope there.
void check_mean_slopes(LossProbe& probe, const std::string& jumps, bool smooth);

/// Against the mean gradient, as a whole and in each tensor, the loss must not grow.
void check_loss_descent(LossProbe& probe);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
