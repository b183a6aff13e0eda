#pragma once

#include <string>

#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/framework/model/chains.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Which class the model itself tells of rows that were drawn given theirs. Under the law given a class, the mean of p(y | x) is at
/// least p(y), as E_{x|y}[p(y | x)] = E_x[p(y | x)²] / p(y): chains of which it is less sit in modes of other classes.
class DrawnClasses {
 public:
  /// `rows` were drawn of `target`, the first of each `rungs` rows that its mask is of. Looked at where the class alone is held of what
  /// is observed, and the model can tell classes.
  void add(Target target, const Chains& rows, Index rungs, const Executor& executor);
  /// How many rows are of their class, and the mean of p(y | x); empty where none was looked at.
  std::string words() const;
  /// Where that mean is less than of a class at random: what may be wrong, and what to do. Else empty.
  std::string doubt() const;

 private:
  Index rows_ = 0, classes_ = 0;
  double right_ = 0.0, probability_ = 0.0;  ///< sums over rows
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
