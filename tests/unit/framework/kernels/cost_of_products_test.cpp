#include <doctest/doctest.h>

#include <harmonium/framework/kernels/bit_products.hpp>
#include <harmonium/framework/kernels/kernels.hpp>

namespace cost_of_products_test {

using namespace harmonium;

TEST_CASE("what costs less is a matter of sizes, of how many states are 1, and of the library") {
  const auto fields = [](Index rows) { return ProductShape{rows, 784, 500, ProductShape::as_it_is}; };
  const auto of = [](const char* blas) { return CostOfProducts::of("baseline", blas); };
  const CostOfProducts fast = of("OpenBLAS 0.3.21 SkylakeX"), middle = of("OpenBLAS 0.3.21 Haswell"),
                       oldest = of("OpenBLAS 0.3.21 Nehalem");
  CHECK(fast.gemm < middle.gemm);
  CHECK(middle.gemm < oldest.gemm);
  CHECK(of("OpenBLAS 0.3.21 NO_AFFINITY HASWELL").gemm == middle.gemm);  // a build for one processor
  CHECK(of("unknown BLAS").gemm == oldest.gemm);
  CHECK(fast.limit(fields(500)) < middle.limit(fields(500)));
  for (const Kernels* each : available_kernels())
    for (const char* blas : {"OpenBLAS Zen", "OpenBLAS Nehalem"}) {
      const CostOfProducts cost = CostOfProducts::of(each->name, blas);
      // Images: 13 % of pixels; hidden units to 30 %.
      CHECK(cost.limit(fields(100)) > 0.13);
      CHECK(cost.limit({100, 500, 784, ProductShape::transposed}) > 0.1);
      CHECK(cost.limit({784, 100, 500, ProductShape::of_outer_product}) > 0.13);
      // Of one row, packing costs more than the product; of few columns, a panel is mostly empty.
      CHECK(cost.limit(fields(1)) < 0.0);
      CHECK(cost.limit(fields(500)) > cost.limit(fields(20)));
      CHECK(cost.limit({256, 784, 16, ProductShape::as_it_is}) < cost.limit({256, 784, 512, ProductShape::as_it_is}));
      CHECK(cost.limit({784, 100, 500, ProductShape::of_outer_product}) <
            cost.limit({784, 100, 500, ProductShape::as_it_is}));
    }
  CHECK(fast.limit(fields(0)) == 0.0);
}

TEST_CASE("in double everything but listing and the rows costs twice as much, and there are no sums of integers") {
  const ProductShape fields{256, 784, 500, ProductShape::as_it_is}, back{256, 500, 784, ProductShape::transposed};
  for (const Kernels* each : available_kernels()) {
    const CostOfProducts of_floats = CostOfProducts::of(each->name, "OpenBLAS Haswell"),
                         of_doubles = of_floats.in_double();
    CHECK(of_doubles.columns == each->f64.sums.columns);
    CHECK(of_doubles.tiles.multiplication == 0.0);
    for (const ProductShape& shape : {fields, back}) {
      // Listing counts half as much beside the rest, and panels half as wide are better filled, by up to 5 % here.
      CHECK(of_doubles.limit(shape) >= of_floats.limit(shape));
      CHECK(of_doubles.limit(shape) < 1.06 * of_floats.limit(shape));
      CHECK(of_doubles.dense_way(shape) == ProductWay::gemm);
    }
  }
}

TEST_CASE(
    "sums of integers are taken by themselves where they were measured to win, and where there are instructions for "
    "them") {
  const auto all = available_kernels();
  if (all.back()->name != "v4") return;
  const ProductShape fields{256, 784, 500, ProductShape::as_it_is}, back{256, 500, 784, ProductShape::transposed},
      few{8, 784, 500, ProductShape::as_it_is}, gradient{400, 100, 500, ProductShape::of_outer_product};
  for (const char* blas : {"OpenBLAS SkylakeX", "OpenBLAS Haswell"}) {
    const CostOfProducts none = CostOfProducts::of("v4", blas), vnni = CostOfProducts::of("v4+vnni", blas),
                         amx = CostOfProducts::of("v4+amx", blas);
    for (const ProductShape& shape : {fields, back, few, gradient}) CHECK(none.dense_way(shape) == ProductWay::gemm);
    for (const ProductShape& shape : {fields, back}) {
      CHECK(vnni.dense_way(shape) == ProductWay::integer_tiles);
      // Where half of the states are ones, sparse sums were measured to be faster.
      CHECK(vnni.limit(shape) > 0.5);
      CHECK(amx.dense_way(shape) == ProductWay::integer_tiles);
      CHECK(amx.limit(shape) < 0.13);
    }
    CHECK(vnni.dense_way(few) == ProductWay::gemm);
    CHECK(vnni.dense_way(gradient) == ProductWay::gemm);
    CHECK(amx.dense_way(gradient) == ProductWay::integer_tiles);
    // Measured: in minibatches of 100 of which 13 % are ones sums win over tiles, and over 32 rows a gradient is sgemm's.
    CHECK(amx.limit({100, 784, 500, ProductShape::as_it_is}) > 0.13);
    CHECK(amx.limit({100, 500, 784, ProductShape::transposed}) > 0.13);
    CHECK(amx.limit({784, 100, 500, ProductShape::of_outer_product}) > 0.13);
    CHECK(amx.dense_way({784, 32, 500, ProductShape::of_outer_product}) == ProductWay::gemm);
  }
}

}  // namespace cost_of_products_test
