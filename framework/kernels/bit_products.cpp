#include <harmonium/framework/kernels/bit_products.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/kernels/integer_products.hpp>
#include <harmonium/framework/kernels/kernels.hpp>
#include <harmonium/framework/kernels/state_rows.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// body(begin, end) over even parts of `inner`: each is a product of its own, and products are added up in order.
template <class Body>
void for_each_part(Index inner, const Body& body) {
  const Index parts = CostOfProducts::parts_of(inner);
  for (Index i = 0; i < parts; ++i) body(inner * i / parts, inner * (i + 1) / parts);
}

/// Memory of a thread, kept from call to call: asking for it each time costs as much as a small product.
template <class T>
struct Scratch {
  std::vector<std::uint16_t> list, of_rows;
  std::vector<Index> begin, row_begin, next;
  std::vector<T> packed;

  static Scratch& of_thread() {
    thread_local Scratch scratch;
    return scratch;
  }
};

/// The ones of rows, row after row.
template <class T>
void list_rows(const SparseSums<T>& k, MatrixView<const T> x, std::vector<std::uint16_t>& list,
               std::vector<Index>& begin) {
  list.resize(std::max<Index>(list.size(), x.rows * x.cols + 16));
  begin.assign(x.rows + 1, 0);
  for (Index r = 0; r < x.rows; ++r) begin[r + 1] = begin[r] + k.list_ones(x.row(r), x.cols, list.data() + begin[r]);
}

/// The ones of columns, column after column.
template <class T>
void list_columns(const SparseSums<T>& k, MatrixView<const T> x, Scratch<T>& s) {
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
template <class T>
void add_listed(const SparseSums<T>& k, Scratch<T>& s, Transpose w_op, MatrixView<const T> w, const SparseSum<T>& how,
                MatrixView<T> out) {
  T* const packed = aligned_part(s.packed, (w_op == Transpose::yes ? w.cols : w.rows) * k.columns);
  for (Index begin = 0; begin < out.cols; begin += k.columns) {
    const Index end = std::min(begin + k.columns, out.cols);
    if (w_op == Transpose::yes) k.pack_transposed(w.slice(begin, end), packed);
    else k.pack(w.columns(begin, end), packed);
    k.add({s.list.data(), s.begin.data(), s.begin.data() + 1}, packed, k.columns, how, out.columns(begin, end));
  }
}

/// The way that `way` comes to of states of which so many are 1, or not_bits.
template <class T>
ProductWay taken(ProductWay way, Index ones, const ProductShape& shape) {
  if (way == ProductWay::sparse_sums && ones == not_bits) return ProductWay::gemm;
  if (way != ProductWay::automatic) return way;
  static const CostOfProducts cost = CostOfProducts::here(std::is_same_v<T, double>);
  const double states = static_cast<double>(shape.rows) * static_cast<double>(shape.inner);
  if (ones != not_bits && static_cast<double>(ones) < cost.limit(shape) * states) return ProductWay::sparse_sums;
  return cost.dense_way(shape);
}

bool by_integers(ProductWay way) { return way == ProductWay::integer_tiles || way == ProductWay::integer_tiles_16; }

/// Of states of which so many are 1: other than these they can be gray levels.
bool made_by_integers(ProductWay way, Index ones, const StateFactor& states, Transpose w_op, MatrixView<const float> w,
                      const SparseSum<float>& how, MatrixView<float> c) {
  const float white = ones == not_bits ? 255.f : 1.f;
  return integer_product({states.states, states.op, white}, w_op, w,
                         {how.factor, how.keep, way == ProductWay::integer_tiles_16 ? 2 : 3}, c);
}

template <class T>
void make_state_product(MatrixView<const T> x, Transpose w_op, MatrixView<const T> w, T keep, MatrixView<T> c,
                        ProductWay way) {
  const SparseSums<T>& k = kernels_of<T>().sums;
  if (way != ProductWay::gemm && x.cols > 0 && !c.empty()) {
    const Index ones = count_ones(k, x);
    const auto factor = w_op == Transpose::yes ? ProductShape::transposed : ProductShape::as_it_is;
    way = taken<T>(way, ones, {x.rows, x.cols, c.cols, factor});
    if constexpr (std::is_same_v<T, float>)
      if (by_integers(way) && made_by_integers(way, ones, {x, Transpose::no, 0.f}, w_op, w, {1.f, keep}, c)) return;
    if (way == ProductWay::sparse_sums) {
      Scratch<T>& s = Scratch<T>::of_thread();
      for_each_part(x.cols, [&](Index begin, Index end) {
        list_rows(k, x.columns(begin, end), s.list, s.begin);
        add_listed(k, s, w_op, w_op == Transpose::yes ? w.columns(begin, end) : w.slice(begin, end),
                   {T{1}, begin == 0 ? keep : T{1}}, c);
      });
      return;
    }
  }
  gemm(Transpose::no, w_op, T{1}, x, w, keep, c);
}

template <class T>
void add_outer_products(T factor, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, ProductWay way) {
  const SparseSums<T>& k = kernels_of<T>().sums;
  if (way != ProductWay::gemm && a.rows > 0 && a.cols <= most_positions && !c.empty()) {
    const Index ones = count_ones(k, a);
    way = taken<T>(way, ones, {a.cols, a.rows, c.cols, ProductShape::of_outer_product});
    if constexpr (std::is_same_v<T, float>)
      if (by_integers(way) && made_by_integers(way, ones, {a, Transpose::yes, 0.f}, Transpose::no, b, {factor, 1.f}, c))
        return;
    if (way == ProductWay::sparse_sums) {
      Scratch<T>& s = Scratch<T>::of_thread();
      for_each_part(a.rows, [&](Index begin, Index end) {
        list_columns(k, a.slice(begin, end), s);
        add_listed(k, s, Transpose::no, b.slice(begin, end), {factor, T{1}}, c);
      });
      return;
    }
  }
  gemm(Transpose::yes, Transpose::no, factor, a, b, T{1}, c);
}

}  // namespace

std::string_view name_of(ProductWay way) {
  switch (way) {
    case ProductWay::gemm: return "gemm";
    case ProductWay::sparse_sums: return "sparse_sums";
    case ProductWay::integer_tiles: return "integer_tiles";
    case ProductWay::integer_tiles_16: return "integer_tiles_16";
    case ProductWay::automatic: break;
  }
  return "automatic";
}

ProductWay product_way_named(std::string_view name) {
  for (const ProductWay way : {ProductWay::automatic, ProductWay::gemm, ProductWay::sparse_sums,
                               ProductWay::integer_tiles, ProductWay::integer_tiles_16})
    if (name == name_of(way)) return way;
  if (name.empty()) return ProductWay::automatic;
  throw ConfigError(
      "environment: variable HARMONIUM_PRODUCTS: '" + std::string(name) +
      "' is no way to make products with states. Say automatic, gemm, sparse_sums, integer_tiles or integer_tiles_16, "
      "or unset it.");
}

ProductWay product_way() {
  static const ProductWay way = [] {
    const char* const name = std::getenv("HARMONIUM_PRODUCTS");
    return product_way_named(name == nullptr ? "" : name);
  }();
  return way;
}

void state_product(MatrixView<const float> x, Transpose w_op, MatrixView<const float> w, float keep,
                   MatrixView<float> c, ProductWay way) {
  make_state_product(x, w_op, w, keep, c, way);
}

void state_product(MatrixView<const double> x, Transpose w_op, MatrixView<const double> w, double keep,
                   MatrixView<double> c, ProductWay way) {
  make_state_product(x, w_op, w, keep, c, way);
}

void add_state_outer_products(float factor, MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                              ProductWay way) {
  add_outer_products(factor, a, b, c, way);
}

void add_state_outer_products(double factor, MatrixView<const double> a, MatrixView<const double> b,
                              MatrixView<double> c, ProductWay way) {
  add_outer_products(factor, a, b, c, way);
}

}  // namespace v1
}  // namespace harmonium
