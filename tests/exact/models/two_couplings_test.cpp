#include <algorithm>

#include <doctest/doctest.h>

#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/model_suite.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/terms/coupling.hpp>
#include <harmonium/models/units/binary.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>

namespace two_couplings_test {

using namespace harmonium;

namespace {

/// A coupling of the same two layers beside the usual one, as a plugin may have it: with a tensor of its own.
class SecondCoupling final : public EnergyTerm {
 public:
  SecondCoupling() : inner_(CouplingTerm::Options{{"v", "h"}}) {}
  std::unique_ptr<EnergyTerm> copy() const override { return std::make_unique<SecondCoupling>(*this); }
  void declare(const Layout& layout, ParameterLayout& parameters) override {
    ParameterLayout own;
    inner_.declare(layout, own);
    ParameterBlock block = own[0];
    block.name = "second.v.h";
    offset_ = parameters[parameters.add(block)].offset;
    position_ = parameters.blocks().size() - 1;
  }
  Value configuration() const override { return inner_.configuration(); }
  std::string formula() const override { return inner_.formula(); }
  LayerSet layers() const override { return inner_.layers(); }
  bool couples(LayerId a, LayerId b) const override { return inner_.couples(a, b); }
  void add_fields(LayerId layer, Index begin, Index end, ConstChainView x, const Real* theta, Real keep,
                  MatrixRef out) const override {
    inner_.add_fields(layer, begin, end, x, theta + offset_, keep, out);
  }
  void add_exact_fields(LayerId layer, const ExactRows& x, const Real* theta, MatrixView<double> out) const override {
    inner_.add_exact_fields(layer, x, theta + offset_, out);
  }
  void add_energy(double factor, const ExactRows& x, const Real* theta, std::span<double> out) const override {
    inner_.add_energy(factor, x, theta + offset_, out);
  }
  void add_gradient(const Moments& q, std::span<const double> weights, const Real* theta, std::span<Real> gradient,
                    const Executor& executor) const override {
    inner_.add_gradient(q, weights, theta + offset_, gradient.subspan(offset_), executor);
  }
  double operations() const override { return inner_.operations(); }
  std::optional<Bilinear> bilinear() const override {
    Bilinear own = *inner_.bilinear();
    own.w.offset += offset_;
    own.w.position = position_;
    return own;
  }

 private:
  CouplingTerm inner_;
  Index offset_ = 0, position_ = 0;
};

std::unique_ptr<LayeredModel> twice_coupled(const std::shared_ptr<const UnitType>& visible,
                                            const std::shared_ptr<const UnitType>& hidden) {
  const std::vector<Layer> layers{{"v", 3, visible, Role::observed}, {"h", 2, hidden, Role::latent}};
  EnergyTerms terms;
  terms.push_back(std::make_unique<CouplingTerm>(CouplingTerm::Options{{"v", "h"}}));
  terms.push_back(std::make_unique<SecondCoupling>());
  auto model = std::make_unique<LayeredModel>(layers, with_unit_terms(layers, std::move(terms), {}));
  conformance::randomize(*model, 3, 0.3);
  return model;
}

}  // namespace

TEST_CASE("two terms that couple the same layers are added up in all that a model offers") {
  const auto binary = std::make_shared<BinaryUnit>();
  const auto spin = std::make_shared<SpinUnit>();
  const auto gaussian = std::make_shared<GaussianUnit>();
  for (const auto& units : std::vector<std::pair<std::shared_ptr<const UnitType>, std::shared_ptr<const UnitType>>>{
           {binary, binary}, {spin, binary}, {gaussian, gaussian}, {gaussian, spin}}) {
    const auto model = twice_coupled(units.first, units.second);
    CheckReport report;
    conformance::check_model(*model, report);
    CAPTURE(units.first->name());
    CAPTURE(units.second->name());
    for (const CheckResult& r : report.results())
      CHECK_MESSAGE(r.outcome != CheckOutcome::failed, r.check << ": " << r.words);
    CHECK(std::ranges::count(report.results(), CheckOutcome::passed, &CheckResult::outcome) > 6);
  }
}

}  // namespace two_couplings_test
