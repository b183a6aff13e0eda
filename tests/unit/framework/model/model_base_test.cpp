// What the base of a model's author does for him: parameters that stay whole, and free energies of what has nothing hidden.
#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/model/model_base.hpp>
#include <harmonium/framework/testing/model_suite.hpp>
#include <harmonium/models/units/binary.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace model_base_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// E = −b Σ x_i, b at most 2; keeps 3 b.
class Field final : public ObservedModel {
 public:
  Field() : ObservedModel(Layout({observed("visible", 3)}), {{.name = "field", .rows = 1}}) {}
  void energy(ConstChainView x, std::span<double> out) const override {
    for (Index r = 0; r < x.rows(); ++r) out[r] = -static_cast<double>(parameters()[0]) * sum(x, r);
  }
  void add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor&) const override {
    for (Index r = 0; r < x.rows(); ++r) gradient[0] -= static_cast<Real>(weights[r] * sum(x, r));
  }
  Real kept() const { return kept_; }

 private:
  double energy_operations() const override { return 3.0; }
  void refresh() override {
    kept_ = 3 * parameters()[0];
    if (parameters()[0] > 2) throw NumericalError("too strong");
  }
  static double sum(ConstChainView x, Index r) {
    const ConstMatrixRef v = x[LayerId{0}];
    return static_cast<double>(v(r, 0)) + static_cast<double>(v(r, 1)) + static_cast<double>(v(r, 2));
  }
  Real kept_ = 0;
};

}  // namespace

TEST_CASE("parameters that are refused, or not written to the end, leave the model as it was") {
  Field model;
  model.update_parameters([](std::span<Real> theta) { theta[0] = Real{1}; });
  CHECK(model.kept() == Real{3});
  CHECK_THROWS_AS(model.update_parameters([](std::span<Real> theta) { theta[0] = Real{5}; }), NumericalError);
  CHECK(model.parameters()[0] == Real{1});
  CHECK(model.kept() == Real{3});
  CHECK_THROWS_AS(model.update_parameters([](std::span<Real> theta) {
    theta[0] = Real{2};
    throw DataError("half-way");
  }),
                  DataError);
  CHECK(model.parameters()[0] == Real{1});
  CHECK(model.kept() == Real{3});
}

TEST_CASE("the free energy of a model without latent layers is its energy") {
  Field model;
  CheckReport report;
  conformance::check_model(model, report);
  for (const CheckResult& r : report.results())
    CHECK_MESSAGE(r.outcome != CheckOutcome::failed, r.check, ": ", r.words);
  model.update_parameters([](std::span<Real> theta) { theta[0] = Real{1}; });
  const Chains rows = random_rows(model.layout(), 5, 1);
  std::vector<double> e(5), f(5);
  model.energy(rows, e);
  REQUIRE(model.free_energy()->closed(model.layout().all()));
  model.free_energy()->evaluate(model.layout().all(), 0.5, rows, f);
  for (Index r = 0; r < 5; ++r) CHECK(f[r] == 0.5 * e[r]);
  // That of a copy goes with the copy.
  const Field twin(model);
  model.update_parameters([](std::span<Real> theta) { theta[0] = Real{2}; });
  twin.free_energy()->evaluate(model.layout().all(), 0.5, rows, f);
  for (Index r = 0; r < 5; ++r) CHECK(f[r] == 0.5 * e[r]);
}

}  // namespace model_base_test
