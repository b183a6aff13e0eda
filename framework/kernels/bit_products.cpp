#include <harmonium/framework/kernels/bit_products.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/kernels/kernels.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr Index most_positions = Index{1} << 16;  // of 16-bit lists

/// Rows of the right factor that are added up together: so many of a panel stay in the first cache, or nearly so.
constexpr Index most_together = 160;

Index parts_of(Index inner) { return (inner + most_together - 1) / most_together; }
/// body(begin, end) over even parts of `inner`: each is a product of its own, and products are added up in order.
template <class Body>
void for_each_part(Index inner, const Body& body) {
  const Index parts = parts_of(inner);
  for (Index i = 0; i < parts; ++i) body(inner * i / parts, inner * (i + 1) / parts);
}

/// Memory of a thread, kept from call to call: asking for it each time costs as much as a small product.
struct Scratch {
  std::vector<std::uint16_t> list, of_rows;
  std::vector<Index> begin, row_begin, next;
  std::vector<float> packed;

  float* aligned(Index elements) {
    constexpr Index line = 64 / sizeof(float);
    packed.resize(std::max<Index>(packed.size(), elements + line));
    const auto address = reinterpret_cast<std::uintptr_t>(packed.data());
    return packed.data() + (64 - address % 64) % 64 / sizeof(float);
  }
  static Scratch& of_thread() {
    thread_local Scratch scratch;
    return scratch;
  }
};

/// How many states of x are 1; `not_bits` where some are neither 0 nor 1.
Index count_ones(const SparseSums& k, MatrixView<const float> x) {
  Index sum = 0;
  for (Index r = 0; r < x.rows; ++r) {
    const Index ones = k.count_ones(x.row(r), x.cols);
    if (ones == not_bits) return not_bits;
    sum += ones;
  }
  return sum;
}

/// The ones of rows, row after row.
void list_rows(const SparseSums& k, MatrixView<const float> x, std::vector<std::uint16_t>& list,
               std::vector<Index>& begin) {
  list.resize(std::max<Index>(list.size(), x.rows * x.cols + 16));
  begin.assign(x.rows + 1, 0);
  for (Index r = 0; r < x.rows; ++r) begin[r + 1] = begin[r] + k.list_ones(x.row(r), x.cols, list.data() + begin[r]);
}

/// The ones of columns, column after column.
void list_columns(const SparseSums& k, MatrixView<const float> x, Scratch& s) {
  list_rows(k, x, s.of_rows, s.row_begin);
  s.begin.assign(x.cols + 1, 0);
  for (Index i = 0; i < s.row_begin.back(); ++i) ++s.begin[s.of_rows[i] + Index{1}];
  for (Index c = 0; c < x.cols; ++c) s.begin[c + 1] += s.begin[c];
  s.next.assign(s.begin.begin(), s.begin.end() - 1);
  s.list.resize(std::max<Index>(s.list.size(), s.begin.back()));
  for (Index r = 0; r < x.rows; ++r)
    for (Index i = s.row_begin[r]; i < s.row_begin[r + 1]; ++i)
      s.list[s.next[s.of_rows[i]]++] = static_cast<std::uint16_t>(r);
}

/// out = keep out + factor (the listed sums of op(w)), panel by panel.
void add_listed(const SparseSums& k, Scratch& s, Transpose w_op, MatrixView<const float> w, const SparseSum& how,
                MatrixView<float> out) {
  float* const packed = s.aligned((w_op == Transpose::yes ? w.cols : w.rows) * k.columns);
  for (Index begin = 0; begin < out.cols; begin += k.columns) {
    const Index end = std::min(begin + k.columns, out.cols);
    if (w_op == Transpose::yes) k.pack_transposed(w.slice(begin, end), packed);
    else k.pack(w.columns(begin, end), packed);
    k.add({s.list.data(), s.begin.data()}, packed, how, out.columns(begin, end));
  }
}

bool cheaper(Index ones, const ProductShape& shape) {
  static const CostOfProducts cost = CostOfProducts::of(kernels().name, blas_name());
  const double states = static_cast<double>(shape.rows) * static_cast<double>(shape.inner);
  return static_cast<double>(ones) < cost.limit(shape) * states;
}

}  // namespace

std::string_view name_of(ProductWay way) {
  switch (way) {
    case ProductWay::gemm: return "gemm";
    case ProductWay::sparse_sums: return "sparse_sums";
    case ProductWay::automatic: break;
  }
  return "automatic";
}

ProductWay product_way_named(std::string_view name) {
  for (const ProductWay way : {ProductWay::automatic, ProductWay::gemm, ProductWay::sparse_sums})
    if (name == name_of(way)) return way;
  if (name.empty()) return ProductWay::automatic;
  throw ConfigError("environment: variable HARMONIUM_PRODUCTS: '" + std::string(name) +
                    "' is no way to make products with states. Say automatic, gemm or sparse_sums, or unset it.");
}

ProductWay product_way() {
  static const ProductWay way = [] {
    const char* const name = std::getenv("HARMONIUM_PRODUCTS");
    return product_way_named(name == nullptr ? "" : name);
  }();
  return way;
}

CostOfProducts CostOfProducts::of(std::string_view isa, std::string_view blas) {
  std::string said(blas);
  std::ranges::transform(said, said.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto is_of = [&](std::initializer_list<const char*> names) {
    return std::ranges::any_of(names, [&](const char* name) { return said.find(name) != std::string::npos; });
  };
  // OpenBLAS names the processor that its products are written for, which may be older than the one that they run on.
  constexpr double of_avx512 = 1.0 / 108.0, of_avx2 = 1.0 / 56.0, of_avx = 1.0 / 30.0, of_sse2 = 1.0 / 20.0;
  const bool told = is_of({"openblas"});
  double gemm = of_sse2;
  if (is_of({"skylakex", "cooperlake", "sapphirerapids"}) || (!told && isa == "v4")) gemm = of_avx512;
  else if (is_of({"haswell", "zen", "excavator"}) || (!told && isa == "v3")) gemm = of_avx2;
  else if (is_of({"sandybridge", "bulldozer", "piledriver", "steamroller"})) gemm = of_avx;
  const Index columns = kernels_named(isa).sparse.columns;
  if (isa == "v4") return {columns, gemm, 1.0 / 66.0, 0.09, 0.13, 0.15, 1.5, 8.0, 2000.0};
  if (isa == "v3") return {columns, gemm, 1.0 / 40.0, 0.1, 0.15, 0.2, 1.5, 11.0, 2000.0};
  return {columns, gemm, 1.0 / 22.0, 0.1, 0.15, 0.3, 1.5, 12.0, 2000.0};
}

double CostOfProducts::limit(const ProductShape& shape) const {
  const auto n = [](Index i) { return static_cast<double>(i); };
  const double states = n(shape.rows) * n(shape.inner);
  if (states == 0.0 || shape.cols == 0) return 0.0;
  const Index panels = (shape.cols + columns - 1) / columns;
  const double width = n(panels * columns);
  const double pack = shape.factor == ProductShape::transposed ? transposition : packing;
  const double rest =
      pack * n(shape.inner) * width + listing * states + row * n(shape.rows) * n(panels * parts_of(shape.inner)) + call;
  const double one = addition * width + (shape.factor == ProductShape::of_outer_product ? scattering : 0.0);
  return (gemm * states * n(shape.cols) - rest) / (one * states);
}

void state_product(MatrixView<const float> x, Transpose w_op, MatrixView<const float> w, float keep,
                   MatrixView<float> c, ProductWay way) {
  const SparseSums& k = kernels().sparse;
  if (way != ProductWay::gemm && x.cols > 0 && !c.empty()) {
    const Index ones = count_ones(k, x);
    const auto factor = w_op == Transpose::yes ? ProductShape::transposed : ProductShape::as_it_is;
    if (ones != not_bits && (way == ProductWay::sparse_sums || cheaper(ones, {x.rows, x.cols, c.cols, factor}))) {
      Scratch& s = Scratch::of_thread();
      for_each_part(x.cols, [&](Index begin, Index end) {
        list_rows(k, x.columns(begin, end), s.list, s.begin);
        add_listed(k, s, w_op, w_op == Transpose::yes ? w.columns(begin, end) : w.slice(begin, end),
                   {1.f, begin == 0 ? keep : 1.f}, c);
      });
      return;
    }
  }
  gemm(Transpose::no, w_op, 1.f, x, w, keep, c);
}

void add_state_outer_products(float factor, MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                              ProductWay way) {
  const SparseSums& k = kernels().sparse;
  if (way != ProductWay::gemm && a.rows > 0 && a.cols <= most_positions && !c.empty()) {
    const Index ones = count_ones(k, a);
    if (ones != not_bits &&
        (way == ProductWay::sparse_sums || cheaper(ones, {a.cols, a.rows, c.cols, ProductShape::of_outer_product}))) {
      Scratch& s = Scratch::of_thread();
      for_each_part(a.rows, [&](Index begin, Index end) {
        list_columns(k, a.slice(begin, end), s);
        add_listed(k, s, Transpose::no, b.slice(begin, end), {factor, 1.f}, c);
      });
      return;
    }
  }
  gemm(Transpose::yes, Transpose::no, factor, a, b, 1.f, c);
}

}  // namespace v1
}  // namespace harmonium
