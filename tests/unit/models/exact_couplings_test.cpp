#include <doctest/doctest.h>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/terms/exact_couplings.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace exact_couplings_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("couplings in double are copied once a change of theta, and those of another theta each time") {
  Matrix<Real> w = zeros<Real>(3, 2);
  w(1, 1) = Real{0.5};
  const ConstMatrixRef view{w.data(), 3, 2, 2};
  ExactCouplings exact;
  std::vector<double> own;
  CHECK(exact.of(view, own)(1, 1) == 0.5);  // followed by nobody yet
  own.clear();
  exact.follow(view);
  const double* const first = exact.of(view, own).data;
  CHECK(exact.of(view, own).data == first);
  CHECK(own.empty());
  w(1, 1) = Real{-2};
  exact.follow(view);
  CHECK(exact.of(view, own)(1, 1) == -2.0);
  CHECK(own.empty());

  const Matrix<Real> other = w;
  const ConstMatrixRef elsewhere{other.data(), 3, 2, 2};
  w(1, 1) = Real{7};
  CHECK(exact.of(elsewhere, own)(1, 1) == -2.0);
  const ExactCouplings another(exact);  // of another term, which follows nothing yet
  CHECK(another.of(elsewhere, own)(1, 1) == -2.0);
}

TEST_CASE("energies follow the parameters, of a copy too") {
  const auto sites = [] { return std::make_unique<CategoricalUnit>(CategoricalUnit::Options{3}); };
  for (const std::shared_ptr<EnergyModel>& model :
       {std::shared_ptr<EnergyModel>(make_fully_visible({.num_visible = 4, .visible_units = sites()})),
        std::shared_ptr<EnergyModel>(make_rbm({.num_visible = 4, .num_hidden = 3, .visible_units = sites()}))}) {
    const Chains rows = random_rows(model->layout(), 5, 3);
    const auto energies = [&](const EnergyModel& of) {
      std::vector<double> found(rows.size());
      of.energy(rows.real(), found);
      return found;
    };
    const auto write = [](EnergyModel& to, Real factor) {
      to.update_parameters([&](std::span<Real> theta) {
        for (Real& t : theta) t *= factor;
      });
    };
    randomize(*model, 5);
    const std::vector<double> once = energies(*model);
    const std::unique_ptr<EnergyModel> copy = model->copy();
    CHECK(energies(*copy) == once);
    write(*copy, Real{2});
    CHECK(energies(*model) == once);
    std::vector<double> twice = once;
    for (double& e : twice) e *= 2.0;
    CHECK(energies(*copy) == twice);  // a power of two: no rounding
    write(*copy, Real{0.5});
    CHECK(energies(*copy) == once);
  }
}

}  // namespace exact_couplings_test
