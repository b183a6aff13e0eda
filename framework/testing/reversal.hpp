#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/framework/testing/chi_square.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// Whether R is the reversal of the transitions T: π(x) T(x, x') = π(x') R(x', x). Equivalent to
///   E[f(x) g(x')] under x ~ π, x' ~ T(x, ·)  =  E[g(x) f(x')] under x ~ π, x' ~ R(x, ·)   for all functions f and g,
/// of which these are compared: each column of x, the sum of squares of each continuous layer, and the energy, each with
/// each. Rows are independent of each other; several moves of one row may depend on each other.
class FlowMoments {
 public:
  FlowMoments(const EnergyModel& model, Index num_rows);
  /// Where T and R led from the rows `start`, which follow π.
  void add(const Chains& start, const Chains& forward, const Chains& backward);
  /// What is added from now on starts from other rows.
  void next_rows();

  /// The pair of functions that differs by most standard errors, or nothing below the limit. False alarms in all:
  /// chi_square.hpp's.
  std::string complaint() const;
  /// What was compared, and the difference that would have been seen.
  std::string summary() const;
  /// Standard errors of the pair that differs by most, less the limit.
  double margin() const;

 private:
  struct Pair {
    double sum = 0.0, squares = 0.0;  ///< over rows, of the means over a row's moves
    double mean(double rows) const { return sum / rows; }
    double standard_error(double rows) const;
  };
  std::vector<double> values(const Chains& rows) const;
  double limit() const;
  double scale(Index f) const;
  /// Standard errors; infinite for a difference of what does not vary.
  double errors(Index f, Index g) const;
  Pair total(Index f, Index g) const;

  const EnergyModel& model_;
  Index num_rows_, moves_ = 0;
  double closed_rows_ = 0.0, added_ = 0.0;
  std::vector<std::string> names_;
  std::vector<double> center_, squares_;  ///< of each function
  std::vector<double> open_;              ///< rows × pairs: sums over the moves of the present rows
  std::vector<Pair> pairs_;
};

struct ReversalFindings {
  FlowMoments moments;
  ChiSquare pairs;  ///< of (x, x') by T against (x', x) by R, as two tables of one law
  std::string complaint() const;
  std::string summary() const;
};

/// The same of discrete units: π by its enumeration, given at random those that `held` marks (a byte a unit, all layers in
/// order; empty: none). Of small state spaces the pairs (x, x') are counted as they are, of others the first and last units.
ReversalFindings examine_reversal(Sampler& sampler, Sampler& reversal, const EnergyModel& model, double beta,
                                  const std::vector<std::uint8_t>& held, Index draws, std::uint64_t first_step = 0);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
