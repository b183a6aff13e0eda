// Rectified linear hidden units (ReLU).
#include <harmonium/framework/plugin/plugin.hpp>

#include "rectified_unit.hpp"

using namespace harmonium;

namespace {

struct NoOptions {
  void bind(OptionBinder&) {}
};

void enroll(Registries& registries) {
  registries.of<UnitType>().add_made<NoOptions>("rectified", "a number from 0 up, normal but for that (ReLU)",
                                                [](NoOptions&&) { return std::make_unique<RectifiedUnit>(); });
  registries.of<UnitType>().add<DoubleRectifiedUnit>(
      "double_rectified", "any number, rectified on both sides: sparse, or with two modes (dReLU)");
}

}  // namespace

HARMONIUM_PLUGIN("rectified", "0.1.0", "rectified linear units", enroll);
