#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/samplers/swendsen_wang.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace swendsen_wang_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// A model with a term that no tensor says: all units of its first layer multiplied.
class WithProduct final : public Forwarding {
 public:
  using Forwarding::Forwarding;
  void energy(ConstChainView x, std::span<double> out) const override {
    inner_.energy(x, out);
    const ConstMatrixRef first = x[LayerId{0}];
    for (Index r = 0; r < out.size(); ++r) {
      double product = 1.0;
      for (const Real value : first[r]) product *= static_cast<double>(value);
      out[r] += product;
    }
  }
};

/// A model with a tensor of which nothing is known.
class WithOther final : public Forwarding {
 public:
  explicit WithOther(const EnergyModel& inner) : Forwarding(inner), parameters_(inner.parameter_layout()) {
    parameters_.add({.name = "third", .rows = 2});
  }
  const ParameterLayout& parameter_layout() const override { return parameters_; }

 private:
  ParameterLayout parameters_;
};

std::vector<Real> all_values(const Chains& chains, Index begin, Index end) {
  std::vector<Real> all;
  for (Index l = 0; l < chains.num_layers(); ++l)
    for (Index r = begin; r < end; ++r) {
      const auto row = chains.read(static_cast<LayerId>(l))[r];
      all.insert(all.end(), row.begin(), row.end());
    }
  return all;
}

std::string refused(const EnergyModel& model, const EnergyModel* base = nullptr) {
  return message_of<CapabilityError>([&] { SwendsenWang().check({.model = model, .base = base}); });
}

}  // namespace

TEST_CASE("cluster moves are refused of what is no sum over pairs of units of a few states") {
  const auto spins = small_spin_glass(), rbm = small_rbm();
  CHECK_NOTHROW(SwendsenWang().check(Target{*spins}));
  CHECK_NOTHROW(SwendsenWang().check(Target{*small_potts()}));
  const auto gaussian =
      random_model({{observed("gray", 2, std::make_shared<GaussianUnit>()), latent("bits", 2)}, {{0, 1}}, {}}, 1);
  CHECK(refused(*gaussian) ==
        "sampler 'swendsen_wang': the units of layer 'gray' are gaussian, and clusters are of units of a few states "
        "each. Try 'gibbs'.");
  CHECK(refused(WithOther(*rbm)) ==
        "sampler 'swendsen_wang': the tensor 'third' may join more than two units, and a bond joins two. Try 'gibbs'.");
  const std::string no_sum = ": the energy is no sum over units and pairs of units, and a bond joins two. Try 'gibbs'.";
  const WithProduct product(*spins);
  CHECK(refused(product) == "sampler 'swendsen_wang'" + no_sum);
  CHECK(refused(*spins, &product) == "sampler 'swendsen_wang', base distribution" + no_sum);
}

TEST_CASE("clusters depend on a chain's number and step, not on neighbors, threads or how steps are cut") {
  const Executor one(1), two(2);
  const RandomSource words{3, 4};
  const auto general = small_general(), potts = small_sparse_potts();
  for (const EnergyModel* model :
       {static_cast<const EnergyModel*>(general.get()), static_cast<const EnergyModel*>(potts.get())})
    for (const ClusterFields fields : {ClusterFields::sum, ClusterFields::ghost}) {
      SwendsenWang sampler({.fields = fields});
      Chains whole = random_rows(model->layout(), 70, 1), again(whole), in_parts(whole), other(whole);
      Chains some(model->layout(), 30, 17);  // numbers 17 to 46
      some.copy_rows(model->layout().all(), ConstChainView(whole, 17, 47));
      sampler.advance(Target{*model}, whole, 6, {one, words});
      CHECK(whole.step() == 6);
      sampler.advance(Target{*model}, again, 6, {two, words});
      CHECK(all_values(whole, 0, 70) == all_values(again, 0, 70));
      for (int i = 0; i < 3; ++i) sampler.advance(Target{*model}, in_parts, 2, {two, words});
      CHECK(all_values(whole, 0, 70) == all_values(in_parts, 0, 70));
      sampler.advance(Target{*model}, some, 6, {one, words});
      CHECK(all_values(whole, 17, 47) == all_values(some, 0, 30));
      sampler.advance(Target{*model}, other, 6, {one, RandomSource{3, 5}});
      CHECK(all_values(whole, 0, 70) != all_values(other, 0, 70));
    }
}

TEST_CASE("a unit of several states that is held at none of them is refused, and a free one takes one") {
  const auto potts = small_potts();
  const Layout& layout = potts->layout();
  Chains chains(layout, 3);
  for (const LayerId l : layout.ids()) {
    const MatrixRef x = chains.write(l);
    std::fill_n(x.data, x.rows * x.cols, Real(0.25));
  }
  const HeldMask held(layout.observed());
  const Executor executor(1);
  SwendsenWang sampler;
  CHECK(message_of<CapabilityError>([&] {
          sampler.advance({.model = *potts, .held = &held}, chains, 1, {executor, {1, 2}});
        }) == "sampler 'swendsen_wang': a unit of layer '" + layout[LayerId{0}].name +
                  "' is held at a value that is none of its 3 states. Hold it at one of them, or take 'gibbs'.");
  sampler.advance({.model = *potts}, chains, 1, {executor, {1, 2}});
  for (const LayerId l : layout.ids()) {
    const UnitStates states(*layout[l].unit);
    for (Index r = 0; r < 3; ++r)
      for (Index u = 0; u < layout[l].size; ++u)
        CHECK(states.find(chains.read(l)[r].subspan(u * states.view().cols, states.view().cols)) < states.size());
  }
}

// Far below the critical temperature nearly all spins of a ferromagnet agree. Bonds then hold them together, and half of the steps turn
// them over: a sum of 10,000 fair signs is beyond 700, seven deviations, with probability 3e-12. Single spins would never.
TEST_CASE("a cold ferromagnet turns over as a whole at every other step") {
  LayeredModel model({{observed("v", 16, std::make_shared<SpinUnit>())}, {{0, 0}}, {}});
  const ParameterLayout& p = model.parameter_layout();
  model.update_parameters([&](std::span<Real> theta) {
    const MatrixRef w = p.view(p.find("weight.v.v"), theta.data());
    for (Index i = 0; i < 16; ++i)
      for (Index j = 0; j < 16; ++j) w(i, j) = i == j ? Real(0) : Real(0.5);
  });
  Chains chains(model.layout(), 100);
  const MatrixRef start = chains.write(LayerId{0});
  std::fill_n(start.data, start.rows * start.cols, Real(1));
  const Executor executor(1);
  SwendsenWang sampler;
  double turned = 0.0;
  for (Index s = 0; s < 100; ++s) {
    std::vector<double> before;
    const auto magnetization = [&](Index r) {
      double sum = 0.0;
      for (const Real spin : chains.read(LayerId{0})[r]) sum += static_cast<double>(spin);
      return sum;
    };
    for (Index r = 0; r < 100; ++r) before.push_back(magnetization(r));
    sampler.advance(Target{model}, chains, 1, {executor, {7, 8}});
    for (Index r = 0; r < 100; ++r) turned += before[r] * magnetization(r) < 0.0 ? 1.0 : -1.0;
  }
  CHECK(std::abs(turned) < 700.0);
}

}  // namespace swendsen_wang_test
