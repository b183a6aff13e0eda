#pragma once

#include <optional>

#include <harmonium/program/seed_means.hpp>

namespace harmonium {
inline namespace v1 {

/// The difference of two means over seeds, which have scatters of their own (B. L. Welch, Biometrika 34, 28 (1947)).
struct MeanDifference {
  double value = 0.0;  ///< of the first mean from the other, in the figure's unit, as errors are
  std::optional<double> error =
      {};  ///< √(e₁² + e₂²), its standard error; nothing where one of them is of a single seed
  std::optional<double> degrees =
      {};  ///< of freedom, by Welch and Satterthwaite; nothing where neither mean has a scatter
  std::optional<double> least_told =
      {};  ///< the error times Student's 97.5 % quantile: a lesser difference is not told

  /// Whether it is beyond what the scatter makes of equal laws in 95 of 100 comparisons. False where the scatter is not known.
  bool told() const;
};

MeanDifference difference_of_means(const SeedMean& one, const SeedMean& other);

}  // namespace v1
}  // namespace harmonium
