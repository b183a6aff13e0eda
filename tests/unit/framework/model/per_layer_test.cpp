#include <doctest/doctest.h>

#include <harmonium/framework/model/per_layer.hpp>

namespace per_layer_test {

using namespace harmonium;

TEST_CASE("something for each layer is asked for by the layer and by its position") {
  PerLayer<int> sizes(3, 7);
  sizes[LayerId{1}] = 2;
  CHECK(sizes[1] == 2);
  CHECK(sizes[LayerId{2}] == 7);
  CHECK(PerLayer<int>{1, 2}[LayerId{1}] == 2);
}

}  // namespace per_layer_test
