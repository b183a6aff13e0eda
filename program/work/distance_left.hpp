#pragma once

#include <optional>
#include <span>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// How far parameters are from the optimum of an objective that is a mean over rows, each beside its standard error there, by the
/// gradients of parts of the rows. With g the mean gradient of all n rows, S the covariance of that of one row and H the curvature, the
/// optimum is H⁻¹g away (Newton), and its covariance is H⁻¹SH⁻¹/n (of an M-estimator; P. J. Huber, 1967). Of a likelihood H = S at the
/// law of the rows. Of others H is taken for S times a number for each block of parameters, which drops out. Flat directions, in which
/// |g| is small beside the rest, count as what is off in the parameters.
class DistanceLeft {
 public:
  /// So many parts serve for so many parameters, if there are as many rows; 0: there are too few rows or too many parameters.
  static Index parts_for(Index parameters, Index rows);

  /// The mean gradient of a part of so many rows.
  void add(std::span<const double> mean, Index rows);
  struct Ratios {
    double rms = 0.0, most = 0.0;
    Index parameter = 0;  ///< of which it is the most
  };
  /// √n (S⁻¹g)_a / √(S⁻¹)_aa of the parameters a, in absolute value: 0 at the optimum, and 1 in the mean of the squares at the law itself
  /// that the rows were drawn from. Parameters of which rows say nothing do not count. Nothing where rows are alike.
  std::optional<Ratios> ratios() const;

 private:
  std::vector<double> means_, counts_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
