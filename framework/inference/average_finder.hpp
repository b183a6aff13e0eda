#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/diagnostics/chain_jackknife.hpp>
#include <harmonium/framework/inference/thermal_averages.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// f of each value.
std::vector<double> of_each(const std::vector<double>& x, FunctionRef<double(double)> f);

/// The averages of one temperature as they are found, of chains and then of pairs.
class AverageFinder {
 public:
  using Values = std::vector<double>;  ///< of all steps of a chain, chain after chain
  AverageFinder(Index chains, Index steps);

  /// The mean of x.
  ThermalAverage mean(std::string name, const Values& x) const;
  /// f of the means of `of`; to first order its fluctuation is that of the mean of `linear`.
  ThermalAverage function(std::string name, std::initializer_list<const Values*> of,
                          FunctionRef<double(std::span<const double>)> f, const Values& linear) const;
  /// factor (⟨x²⟩ − ⟨x⟩²), by values about their mean, so that nothing cancels.
  ThermalAverage fluctuation(std::string name, const Values& x, double factor) const;
  /// factor (1 − ⟨x⁴⟩/(3⟨x²⟩²)) of the squares of x; NaN where all are 0, as the magnetization of an antiferromagnet is in the cold.
  ThermalAverage cumulant(std::string name, const Values& squares, double factor) const;

 private:
  Series series(const Values& x) const { return {x.data(), chains_, steps_, steps_}; }

  Index chains_, steps_, blocks_;
};

/// The same average in another unit.
ThermalAverage in_unit(ThermalAverage average, std::string name, double factor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
