#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string>

#include <harmonium/framework/kernels/bit_products.hpp>
#include <harmonium/framework/kernels/integer_tiles.hpp>
#include <harmonium/framework/kernels/kernels.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

double as_number(Index i) { return static_cast<double>(i); }

// OpenBLAS names the processor that its products are written for, which may be older than the one that they run on.
constexpr double of_avx512 = 1.0 / 108.0, of_avx2 = 1.0 / 56.0, of_avx = 1.0 / 30.0, of_sse2 = 1.0 / 20.0;

constexpr CostOfProducts::OfTiles no_tiles{0.0, 0.0, 0.0, 0.0, 0.0, 1, 1, 1.0};

/// Of instructions that multiply bytes, by the name of the instruction set.
CostOfProducts::OfTiles tiles_of(std::string_view isa) {
  // Of a Sapphire Rapids, in units of its sparse sums. There gemm for AVX-512 takes 1.08 times as long beside these.
  if (isa == "v4+amx") return {1.0 / 940.0, 0.21, 0.33, 0.36, 0.3, 32, 64, 0.93};
  // Of a Zen 4, in units of its sparse sums. There gemm takes 1.41 times as long beside these, and counts as 5 % faster than it is.
  if (isa == "v4+vnni") return {1.0 / 106.0, 0.154, 0.25, 0.21, 0.28, 4, 4, 0.71};
  return no_tiles;  // never by itself: none, or not measured
}

}  // namespace

CostOfProducts CostOfProducts::of(std::string_view isa, std::string_view blas) {
  const std::string_view level = isa.substr(0, isa.find('+'));
  std::string said(blas);
  std::ranges::transform(said, said.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto is_of = [&](std::initializer_list<const char*> names) {
    return std::ranges::any_of(names, [&](const char* name) { return said.find(name) != std::string::npos; });
  };
  const bool told = is_of({"openblas"});
  double gemm = of_sse2;
  if (is_of({"skylakex", "cooperlake", "sapphirerapids"}) || (!told && level == "v4")) gemm = of_avx512;
  else if (is_of({"haswell", "zen", "excavator"}) || (!told && level == "v3")) gemm = of_avx2;
  else if (is_of({"sandybridge", "bulldozer", "piledriver", "steamroller"})) gemm = of_avx;
  const Index columns = kernels_named(level).f32.sums.columns;
  const OfTiles tiles = tiles_of(isa);
  if (level == "v4") return {columns, gemm, 1.0 / 66.0, 0.09, 0.13, 0.15, 1.5, 8.0, 2000.0, tiles};
  if (level == "v3") return {columns, gemm, 1.0 / 40.0, 0.1, 0.15, 0.2, 1.5, 11.0, 2000.0, tiles};
  return {columns, gemm, 1.0 / 22.0, 0.1, 0.15, 0.3, 1.5, 12.0, 2000.0, tiles};
}

CostOfProducts CostOfProducts::in_double() const {
  CostOfProducts result = *this;
  result.columns /= 2;
  for (double* each : {&result.gemm, &result.addition, &result.packing, &result.transposition}) *each *= 2.0;
  result.tiles = no_tiles;
  return result;
}

CostOfProducts CostOfProducts::here(bool in_double) {
  const CostOfProducts of_floats = of(instruction_set(), blas_name());
  return in_double ? of_floats.in_double() : of_floats;
}

double CostOfProducts::of_gemm(const ProductShape& shape, double each) {
  return each * as_number(shape.rows) * as_number(shape.inner) * as_number(shape.cols);
}

double CostOfProducts::of_tiles(const ProductShape& shape) const {
  const double width = as_number(rounded_up(shape.cols, tile_columns));
  const double rows = as_number(rounded_up(shape.rows, tiles.rows));
  const double inner = as_number(rounded_up(shape.inner, tiles.inner));
  const double pack = shape.factor == ProductShape::transposed ? tiles.transposition : tiles.packing;
  return tiles.multiplication * rows * inner * width + pack * inner * width + tiles.reading * rows * inner +
         tiles.field * rows * width + call;
}

ProductWay CostOfProducts::dense_way(const ProductShape& shape) const {
  // Beside the fastest gemm: a processor that is newer than BLAS's kernels may run these as fast.
  return tiles.multiplication > 0.0 && of_tiles(shape) * tiles.beside_gemm < of_gemm(shape, std::min(gemm, of_avx512))
             ? ProductWay::integer_tiles
             : ProductWay::gemm;
}

double CostOfProducts::limit(const ProductShape& shape) const {
  const double states = as_number(shape.rows) * as_number(shape.inner);
  if (states == 0.0 || shape.cols == 0) return 0.0;
  const Index panels = (shape.cols + columns - 1) / columns;
  const double width = as_number(panels * columns);
  const double pack = shape.factor == ProductShape::transposed ? transposition : packing;
  const double rest = pack * as_number(shape.inner) * width + listing * states +
                      row * as_number(shape.rows) * as_number(panels * parts_of(shape.inner)) + call;
  const double one = addition * width + (shape.factor == ProductShape::of_outer_product ? scattering : 0.0);
  const double dense = dense_way(shape) == ProductWay::integer_tiles ? of_tiles(shape) : of_gemm(shape, gemm);
  return (dense - rest) / (one * states);
}

}  // namespace v1
}  // namespace harmonium
