#include <harmonium/framework/kernels/bit_products.hpp>

#include <algorithm>
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

/// Rows of the right factor that are added up together: so many of a panel stay in the first cache.
constexpr Index most_together = 200;

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
  std::vector<Index> begin, fill, next, with_zeros;
  std::vector<std::uint8_t> zeros;
  std::vector<float> packed, total;

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

/// How many states of x would be listed, row by row; `not_bits` where some are no bits.
Index count_listed(const SparseSums& k, MatrixView<const float> x) {
  Index listed = 0;
  for (Index r = 0; r < x.rows; ++r) {
    const Index ones = k.count_ones(x.row(r), x.cols);
    if (ones == not_bits) return not_bits;
    listed += std::min(ones, x.cols - ones);
  }
  return listed;
}

/// Of numbers of ones in begin[1], begin[2], …: where lists begin, and which hold zeros, being those with more ones than `most`.
void settle(Scratch& s, Index inner, Index most) {
  s.zeros.resize(s.begin.size() - 1);
  s.begin[0] = 0;
  for (Index r = 0; r < s.zeros.size(); ++r) {
    const Index ones = s.begin[r + 1];
    s.zeros[r] = ones > most ? 1 : 0;
    s.begin[r + 1] = s.begin[r] + (s.zeros[r] ? inner - ones : ones);
  }
  s.list.resize(std::max<Index>(s.list.size(), s.begin.back() + inner + 16));
}

void list_rows(const SparseSums& k, MatrixView<const float> x, Scratch& s) {
  s.begin.resize(x.rows + 1);
  for (Index r = 0; r < x.rows; ++r) s.begin[r + 1] = k.count_ones(x.row(r), x.cols);
  settle(s, x.cols, x.cols / 2);
  for (Index r = 0; r < x.rows; ++r) k.list_equal(x.row(r), x.cols, s.zeros[r] ? 0.f : 1.f, s.list.data() + s.begin[r]);
}

/// The ones of rows, told to their columns.
void list_columns(const SparseSums& k, MatrixView<const float> x, Scratch& s) {
  s.of_rows.resize(std::max<Index>(s.of_rows.size(), x.rows * x.cols + 16));
  s.fill.assign(x.rows + 1, 0);
  s.begin.assign(x.cols + 1, 0);
  for (Index r = 0; r < x.rows; ++r) {
    std::uint16_t* const ones = s.of_rows.data() + s.fill[r];
    s.fill[r + 1] = s.fill[r] + k.list_equal(x.row(r), x.cols, 1.f, ones);
    for (Index i = 0; i < s.fill[r + 1] - s.fill[r]; ++i) ++s.begin[ones[i] + Index{1}];
  }
  // To look for zeros of a column costs more than to list those of a row.
  settle(s, x.rows, x.rows * 5 / 8);
  s.next.assign(s.begin.begin(), s.begin.end() - 1);
  for (Index r = 0; r < x.rows; ++r)
    for (Index i = s.fill[r]; i < s.fill[r + 1]; ++i) {
      const Index c = s.of_rows[i];
      if (!s.zeros[c]) s.list[s.next[c]++] = static_cast<std::uint16_t>(r);
    }
  s.with_zeros.clear();
  for (Index c = 0; c < x.cols; ++c)
    if (s.zeros[c]) s.with_zeros.push_back(c);
  for (Index r = 0; r < x.rows; ++r)
    for (const Index c : s.with_zeros)
      if (x.row(r)[c] == 0.f) s.list[s.next[c]++] = static_cast<std::uint16_t>(r);
}

/// out = keep out + factor (the listed sums of op(w)), panel by panel.
void add_listed(const SparseSums& k, Scratch& s, Transpose w_op, MatrixView<const float> w, const SparseSum& how,
                MatrixView<float> out) {
  const Index inner = w_op == Transpose::yes ? w.cols : w.rows;
  float* const packed = s.aligned(inner * k.columns);
  const bool totals = std::ranges::any_of(s.zeros, [](std::uint8_t z) { return z != 0; });
  s.total.resize(k.columns);
  for (Index begin = 0; begin < out.cols; begin += k.columns) {
    const Index end = std::min(begin + k.columns, out.cols);
    if (w_op == Transpose::yes) k.pack_transposed(w.slice(begin, end), packed);
    else k.pack(w.columns(begin, end), packed);
    if (totals) {
      // All rows as one list: in the order of the others.
      std::ranges::fill(s.total, 0.f);
      for (Index i = 0; i < inner; ++i)
        for (Index c = 0; c < k.columns; ++c) s.total[c] += packed[i * k.columns + c];
    }
    k.add({s.list.data(), s.begin.data(), s.zeros.data()}, packed, s.total.data(), how, out.columns(begin, end));
  }
}

bool cheaper(Index listed, Index rows, Index inner, Index cols, Transpose w_op) {
  static const CostOfProducts cost = CostOfProducts::of(kernels().name, blas_name());
  const double share = static_cast<double>(listed) / (static_cast<double>(rows) * static_cast<double>(inner));
  return share < cost.limit(rows, inner, cols, w_op);
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
  const auto is_of = [&](std::initializer_list<std::string_view> processors) {
    return std::ranges::any_of(processors,
                               [&](std::string_view name) { return blas.find(name) != std::string_view::npos; });
  };
  // OpenBLAS names the processor that its products are written for, which may be older than the one that they run on.
  constexpr double of_avx512 = 1.0 / 108.0, of_avx2 = 1.0 / 56.0, of_sse2 = 1.0 / 20.0;
  const bool told = is_of({"OpenBLAS"});
  double gemm = of_sse2;
  if (is_of({"SkylakeX", "Cooperlake", "SapphireRapids"}) || (!told && isa == "v4")) gemm = of_avx512;
  else if (is_of({"Haswell", "Zen", "Excavator"}) || (!told && isa == "v3")) gemm = of_avx2;
  if (isa == "v4") return {gemm, 1.0 / 66.0, 0.09, 0.19, 0.15, 8.0};
  if (isa == "v3") return {gemm, 1.0 / 40.0, 0.1, 0.2, 0.3, 11.0};
  return {gemm, 1.0 / 22.0, 0.1, 0.2, 0.6, 12.0};
}

double CostOfProducts::limit(Index rows, Index inner, Index cols, Transpose w_op) const {
  const auto n = [](Index i) { return static_cast<double>(i); };
  const double all = n(rows) * n(inner) * n(cols);
  if (all == 0.0) return 0.0;
  const Index width = kernels().sparse.columns;
  const double pack = w_op == Transpose::yes ? transposition : packing;
  const Index panels = (cols + width - 1) / width;
  const double rest =
      pack * n(inner) * n(cols) + listing * n(rows) * n(inner) + row * n(rows) * n(panels * parts_of(inner));
  return (gemm * all - rest) / (addition * all);
}

void state_product(MatrixView<const float> x, Transpose w_op, MatrixView<const float> w, float keep,
                   MatrixView<float> c, ProductWay way) {
  const SparseSums& k = kernels().sparse;
  if (way != ProductWay::gemm && x.cols > 0 && !c.empty()) {
    const Index listed = count_listed(k, x);
    if (listed != not_bits && (way == ProductWay::sparse_sums || cheaper(listed, x.rows, x.cols, c.cols, w_op))) {
      Scratch& s = Scratch::of_thread();
      for_each_part(x.cols, [&](Index begin, Index end) {
        const MatrixView<const float> part = x.columns(begin, end);
        list_rows(k, part, s);
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
    const Index listed = count_listed(k, a);
    if (listed != not_bits &&
        (way == ProductWay::sparse_sums || cheaper(listed, a.cols, a.rows, c.cols, Transpose::no))) {
      Scratch& s = Scratch::of_thread();
      for_each_part(a.rows, [&](Index begin, Index end) {
        const MatrixView<const float> part = a.slice(begin, end);
        list_columns(k, part, s);
        add_listed(k, s, Transpose::no, b.slice(begin, end), {factor, 1.f}, c);
      });
      return;
    }
  }
  gemm(Transpose::yes, Transpose::no, factor, a, b, 1.f, c);
}

}  // namespace v1
}  // namespace harmonium
