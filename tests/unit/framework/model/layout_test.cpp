#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/model/layout.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace layout_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

class ContinuousUnit final : public TestUnit {
 public:
  ContinuousUnit() : TestUnit(1, true, {0}) {}
  std::string_view name() const override { return "continuous"; }
  Index num_states() const override { return 0; }
};

std::string refused(std::vector<Layer> layers) {
  return message_of<ConfigError>([&] { Layout layout(std::move(layers)); });
}

}  // namespace

TEST_CASE("layouts that cannot be meant are refused with the reason") {
  CHECK(refused({}) == "a model needs at least one layer");
  CHECK(refused({observed("v", 2), latent("h", 0)}) == "layer 'h' has no units");
  CHECK(refused({observed("v", 2), latent("v", 1)}) == "two layers are called 'v'. Rename one.");
  CHECK(refused({latent("h", 2)}) ==
        "no layer is observed, and a model needs at least one that is. Give it the role observed.");
  std::vector<Layer> many;
  many.reserve(65);
  for (int i = 0; i < 65; ++i) many.push_back(observed("v" + std::to_string(i), 1));
  CHECK(refused(many) == "a model has at most 64 layers, not 65. Take fewer.");
  many.pop_back();
  CHECK_NOTHROW(Layout{many});
}

TEST_CASE("layers are found by name, and a wrong name is told the right ones") {
  const Layout layout({observed("v", 2), latent("h", 3), latent("g", 1)});
  CHECK(layout.find("h") == layout.id(1));
  CHECK(layout[layout.find("g")].size == 1);
  CHECK(message_of<ConfigError>([&] { layout.find("w"); }) == "the model has no layer 'w'. Its layers: v, h, g.");
}

TEST_CASE("sets of layers follow roles, and columns and states are counted over them") {
  const Layout layout({observed("v", 2), latent("h", 3), observed("y", 2, std::make_shared<ThreeWayUnit>()),
                       latent("z", 1, std::make_shared<ContinuousUnit>())});
  CHECK(layout.size() == 4);
  CHECK(layout.ids() == std::vector<LayerId>{layout.id(0), layout.id(1), layout.id(2), layout.id(3)});
  CHECK(layout.observed() == LayerSet{}.add(layout.id(0)).add(layout.id(2)));
  CHECK(layout.latent() == LayerSet{}.add(layout.id(1)).add(layout.id(3)));
  CHECK(layout.all() == (layout.observed() | layout.latent()));
  CHECK(layout.columns(layout.observed()) == 2 + 2 * 3);
  CHECK(layout.columns({}) == 0);
  CHECK(layout.log2_states(layout.observed()) == 2 + 2 * std::log2(3.0));
  CHECK(layout.log2_states({}) == 0.0);
  CHECK(layout.log2_states(layout.all()) == std::numeric_limits<double>::infinity());
}

TEST_CASE("a set of layers holds what was added and not removed, up to the 64th") {
  LayerSet set;
  CHECK(set.empty());
  set.add(LayerId{0}).add(LayerId{63});
  CHECK(set.contains(LayerId{63}));
  CHECK_FALSE(set.contains(LayerId{62}));
  set.remove(LayerId{63}).remove(LayerId{5});
  CHECK(set == LayerSet{}.add(LayerId{0}));
  CHECK((set | LayerSet{}.add(LayerId{2})) == LayerSet{}.add(LayerId{2}).add(LayerId{0}));
}

TEST_CASE("layers of a set come in order, and their columns stand side by side") {
  const Layout layout({observed("v", 2), latent("h", 3), observed("g", 1), latent("k", 4)});
  CHECK(layout.ids(layout.latent()) == std::vector<LayerId>{LayerId{1}, LayerId{3}});
  CHECK(layout.ids(LayerSet()).empty());
  const PerLayer<Index> first = layout.first_columns(layout.observed());
  CHECK(first[LayerId{0}] == 0);
  CHECK(first[LayerId{2}] == 2);
  CHECK(first[LayerId{1}] == 0);
  CHECK(layout.first_columns(layout.all())[LayerId{3}] == 6);
}

}  // namespace layout_test
