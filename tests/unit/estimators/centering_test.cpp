#include <doctest/doctest.h>

#include <harmonium/estimators/centering.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace centering_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// A model whose parameters say something else about themselves.
class Relabeled final : public Forwarding {
 public:
  Relabeled(const EnergyModel& inner, ParameterLayout layout) : Forwarding(inner), layout_(std::move(layout)) {}
  const ParameterLayout& parameter_layout() const override { return layout_; }

 private:
  ParameterLayout layout_;
};

std::string refused(const EnergyModel& model, void (*change)(ParameterBlock&)) {
  ParameterLayout layout;
  for (ParameterBlock b : model.parameter_layout().blocks()) {
    change(b);
    layout.add(b);
  }
  return message_of<CapabilityError>([&] { Centering::check(Relabeled(model, layout)); });
}

}  // namespace

TEST_CASE("a model whose parameters do not say what they do cannot be centered") {
  const auto model = random_rbm(3, 2, 1);
  CHECK_NOTHROW(Centering::check(*model));
  CHECK(refused(*model,
                [](ParameterBlock& b) {
                  if (b.role == ParameterRole::bias) b.role = ParameterRole::other;
                }) ==
        "centering: the model does not have one bias for each layer, so its gradient cannot be centered. Set "
        "estimator.centering = false.");
  CHECK(refused(*model, [](ParameterBlock& b) {
          if (b.role == ParameterRole::coupling) b.layers.pop_back();
        }) == "centering: parameter 'weight.visible.hidden' does not say which two layers it couples.");
}

}  // namespace centering_test
