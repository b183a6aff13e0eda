#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <harmonium/framework/model/model_base.hpp>
#include <harmonium/framework/model/term.hpp>
#include <harmonium/framework/testing/report.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// A model whose energy is one term.
class OneTerm final : public ModelBase {
 public:
  OneTerm(std::unique_ptr<EnergyTerm> term, const Layout& layout);
  void energy(ConstChainView x, std::span<double> out) const override;
  void add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override;
  const EnergyTerm& term() const { return *term_; }
  const Real* theta() const { return parameters().data(); }

 private:
  void refresh() override;
  std::unique_ptr<EnergyTerm> term_;
};

/// A term with random parameters, and what its checks share: rows to look at it by, and the size of its energies.
struct TermSubject {
  static constexpr Index num_rows = 12;

  TermSubject(const std::function<std::unique_ptr<EnergyTerm>()>& make, const Layout& layers, CheckReport& to);

  const EnergyTerm& term() const { return model.term(); }
  const std::string& name(LayerId layer) const { return layout[layer].name; }
  /// Rounding errors that an energy may have.
  double bound() const { return std::numeric_limits<Real>::epsilon() * scale * 64.0; }
  std::vector<double> energies(const Chains& x) const;
  std::vector<double> exact_fields(LayerId layer, const Chains& x) const;
  /// The rows with one unit, or one layer, as in other rows.
  Chains with_unit(LayerId layer, Index unit) const;
  Chains with_layer(LayerId layer) const;

  OneTerm model;
  const Layout& layout;
  CheckReport& report;
  Chains rows, others;
  Executor executor{1};
  double scale;  ///< of an energy
};

/// Fields, and the layers and units that the term says they go by.
void check_term_fields(const TermSubject& s);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
