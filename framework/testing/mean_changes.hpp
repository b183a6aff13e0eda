#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/testing/chi_square.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// Means of functions of a configuration x over independent rows, before and after they were moved: each column of x, its
/// square where continuous, products of columns that follow each other, and the energy. A move that leaves the law of the
/// rows as it is changes none of these means. Several moves of one row are one number: they may depend on each other.
class MeanChanges {
 public:
  MeanChanges(const EnergyModel& model, Index num_rows);
  void add(const Chains& before, const Chains& after);

  /// The function whose mean changes by most standard errors, or nothing below the limit; false alarm chi_square.hpp's in all.
  std::string complaint() const;
  /// Standard errors of the function whose mean changes by most, less the limit: beyond 6, a fault of this size passes with
  /// probability below 1e-9.
  double margin() const;
  /// Whether some mean changes by more than that of one of twenty moves would, were all of them right.
  bool odd() const;
  /// What was compared, and the change of a mean that would have been seen.
  std::string summary() const;

 private:
  struct Function {
    std::string name;
    std::vector<double> changes;      ///< one a row, summed over the moves
    double sum = 0.0, squares = 0.0;  ///< of its values before the moves
  };
  /// Standard errors that are too many.
  double limit() const { return beyond(false_alarm); }
  /// Standard errors that none of the functions exceeds but with probability `alarm`.
  double beyond(double alarm) const;
  double most_errors() const;
  double standard_error(const Function& f) const;
  double mean_change(const Function& f) const;
  double spread(const Function& f) const;
  void values(const Chains& rows, std::vector<std::vector<double>>& out) const;

  const EnergyModel& model_;
  Index num_rows_, moves_ = 0;
  std::vector<Function> functions_;
};

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
