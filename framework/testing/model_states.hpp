#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/testing/comparisons.hpp>
#include <harmonium/framework/testing/law.hpp>
#include <harmonium/framework/testing/model_subject.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// All states of a model that has few: what it gives in closed form is held against sums over them.
struct ModelStates {
  explicit ModelStates(const ModelSubject& of);

  /// Σ_s law[s] ∂E(s)/∂θ.
  std::vector<Real> gradient(const std::vector<double>& law) const;
  /// Entry by entry; `where` says which gradient it is, or nothing.
  void compare_gradients(Comparisons& worst, const std::vector<Real>& told, const std::vector<Real>& expected,
                         const std::string& where) const;

  const ModelSubject& m;
  StateSpace space;
};

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
