// The vectorized loops, written once in the vector extensions of GCC and Clang and compiled once per instruction set,
// with HARMONIUM_KERNELS_NAMESPACE naming it.
//
// Two promises shape this file.
// * The same bits on every instruction set: the operations on an element, and the order in which elements are summed,
//   do not depend on the width of a vector, and -ffp-contract=off keeps the compiler from fusing multiply and add. Only
//   the sweep fuses them, by name, where the instruction set can: kernels.hpp says so.
// * Safe to link: an inline function or template instance with external linkage would be a weak symbol, of which the
//   linker keeps any one copy - perhaps the one compiled for AVX-512, in a program that runs on an older processor. So
//   all but the table has internal linkage, nothing of the standard library is called, nor any member function of
//   MatrixView or DrawBlock, and nm must show no symbol of type W or V in the object.
#include <harmonium/framework/kernels/simd_kernels.hpp>
#include <harmonium/framework/kernels/simd_vectors.inc>

namespace harmonium {
inline namespace v1 {
namespace {

HARMONIUM_INLINE FourWords words_at(const DrawBlock& block, std::uint32_t chain_quad, const U32& site,
                                    std::uint32_t draw) {
  return threefry(block.key, site, block.layer << 24 | draw, chain_quad, block.step);
}

HARMONIUM_INLINE FourWords words_of(const DrawBlock& block, std::uint32_t chain_quad, std::uint32_t first_site,
                                    std::uint32_t draw) {
  return words_at(block, chain_quad, lane_numbers<U32, std::uint32_t>() + first_site, draw);
}

void words(const DrawBlock& block, std::uint32_t chain_quad, std::uint32_t first_site, std::uint32_t draw, Index n,
           std::uint32_t* out) {
  for (Index i = 0; i < n; i += sites) {
    const FourWords drawn = words_of(block, chain_quad, first_site + static_cast<std::uint32_t>(i), draw);
    for (Index w = 0; w < 4; ++w) {
      if (n - i >= sites) {
        store(out + w * n + i, drawn.of_chain[w], Whole{});
      } else {
        store(out + w * n + i, drawn.of_chain[w], n - i);
      }
    }
  }
}

/// A row of a tile, from some column on. All but `field` may be null.
template <class T>
struct Row {
  const T* field;
  const T* bias;
  T scale;
  T* out;
  T* mean;

  HARMONIUM_INLINE Row from(Index c) const {
    return {field + c, bias == nullptr ? nullptr : bias + c, scale, out == nullptr ? nullptr : out + c,
            mean == nullptr ? nullptr : mean + c};
  }
};

/// Row r of a tile; `scale` is `sign` where the tile has none.
template <class T>
HARMONIUM_INLINE Row<T> row_of(const MatrixView<const T>& field, const T* bias, const T* scale, T sign, Index r) {
  return {field.data + r * field.stride, bias, scale == nullptr ? sign : sign * scale[r], nullptr, nullptr};
}

/// scale * (field + bias).
template <class T, class Extent>
HARMONIUM_INLINE Vector<T> scaled_field(const Row<T>& row, Extent n) {
  Vector<T> x = load<Vector<T>>(row.field, n);
  if (row.bias != nullptr) x += load<Vector<T>>(row.bias, n);
  return x * row.scale;
}

/// Draws a vector of states by the uniform numbers u. The scale of `row` is minus that of x.
template <class T, class Extent>
HARMONIUM_INLINE void draw_states(const Row<T>& row, Vector<T> u, Extent n) {
  const Vector<T> zero{}, one = zero + T{1};
  const Vector<T> inverse_mean = exponential<T>(scaled_field(row, n)) + one;
  store(row.out, u * inverse_mean < one ? one : zero, n);
  if (row.mean != nullptr) store(row.mean, one / inverse_mean, n);
}

/// The next `n` columns of a row, at most `sites`, by as many words.
template <class T>
HARMONIUM_INLINE void draw_columns(const Row<T>& row, const U32& words, Index n) {
  constexpr Index width = Lanes<T>::count;
#pragma GCC unroll 2
  for (Index part = 0; part < sites / width; ++part) {
    const Index c = part * width;
    if (n >= c + width) {
      draw_states(row.from(c), uniforms<T>(words, part), Whole{});
    } else if (n > c) {
      draw_states(row.from(c), uniforms<T>(words, part), n - c);
    }
  }
}

template <class T>
void bernoulli(const DrawBlock& block, MatrixView<const T> field, const T* bias, const T* scale, MatrixView<T> state,
               MatrixView<T> mean) {
  // Rows in groups that share the calls of the generator: the four chains of a quad, or what the tile has of it.
  for (Index begin = 0, end; begin < field.rows; begin = end) {
    const std::uint32_t chain = block.first_chain + static_cast<std::uint32_t>(begin);
    const std::uint32_t first_word = chain % 4;
    end = begin + (4 - first_word);
    if (end > field.rows) end = field.rows;
    Row<T> rows[4];
    for (Index i = 0; i < end - begin; ++i) {
      rows[i] = row_of(field, bias, scale, T{-1}, begin + i);
      rows[i].out = state.data + (begin + i) * state.stride;
      rows[i].mean = mean.data == nullptr ? nullptr : mean.data + (begin + i) * mean.stride;
    }
    for (Index c = 0; c < field.cols; c += sites) {
      const FourWords drawn = words_of(block, chain / 4, block.first_site + static_cast<std::uint32_t>(c), 0);
      for (Index i = 0; i < end - begin; ++i) {
        draw_columns(rows[i].from(c), drawn.of_chain[first_word + i], field.cols - c);
      }
    }
  }
}

/// The scale of `row` is minus that of x.
template <class T, class Extent>
HARMONIUM_INLINE void store_logistic(const Row<T>& row, Extent n) {
  store(row.out, T{1} / (exponential<T>(scaled_field(row, n)) + T{1}), n);
}

template <class T>
void logistic(MatrixView<const T> field, const T* bias, const T* scale, MatrixView<T> out) {
  constexpr Index width = Lanes<T>::count;
  for (Index r = 0; r < field.rows; ++r) {
    Row<T> row = row_of(field, bias, scale, T{-1}, r);
    row.out = out.data + r * out.stride;
    Index c = 0;
    for (; c + width <= field.cols; c += width) store_logistic(row.from(c), Whole{});
    if (c < field.cols) store_logistic(row.from(c), field.cols - c);
  }
}

/// Partial sums of log(1 + e^x) = max(x, 0) + log(1 + e^-|x|), dealt out over 16 lanes on every instruction set. The
/// logarithms are taken once for many elements: `product` is the product of (1 + e^-|x|) less 1, which unlike the
/// product itself keeps small terms to full relative accuracy.
struct SoftplusSums {
  static constexpr Index lanes = 16;
  static constexpr Index count = lanes / Lanes<double>::count;
  /// Columns after which the logarithm has to be taken, the product being at most 2^columns.
  static constexpr Index columns = 960;
  F64 maxima[count];
  F64 product[count];
};

HARMONIUM_INLINE void accumulate(SoftplusSums& sums, Index i, F64 positive_part, F64 e) {
  sums.maxima[i] += positive_part;
  sums.product[i] += e + e * sums.product[i];
}

/// A vector of elements, at lane `first` of the sums.
template <class T>
HARMONIUM_INLINE void add_softplus(SoftplusSums& sums, Index first, Vector<T> x) {
  const Vector<T> zero{};
  const Vector<T> positive_part = at_least(x, zero);
  const Vector<T> e = exponential<T>(at_most(x, -x));
  if constexpr (sizeof(T) == sizeof(double)) {
    accumulate(sums, first / Lanes<T>::count, positive_part, e);
  } else {
    HalfF32 positive_parts[2], es[2];
    __builtin_memcpy(positive_parts, &positive_part, sizeof(positive_part));
    __builtin_memcpy(es, &e, sizeof(e));
    for (Index half = 0; half < 2; ++half) {
      accumulate(sums, 2 * (first / Lanes<T>::count) + half, __builtin_convertvector(positive_parts[half], F64),
                 __builtin_convertvector(es[half], F64));
    }
  }
}

/// The sum over all lanes, in halves that do not depend on the width of a vector.
HARMONIUM_INLINE double total_of(const SoftplusSums& sums) {
  double maxima[SoftplusSums::lanes], product[SoftplusSums::lanes];
  __builtin_memcpy(maxima, sums.maxima, sizeof(maxima));
  __builtin_memcpy(product, sums.product, sizeof(product));
  for (Index half = SoftplusSums::lanes / 2; half > 0; half /= 2) {
    for (Index i = 0; i < half; ++i) {
      maxima[i] += maxima[i + half];
      product[i] += product[i + half] + product[i] * product[i + half];
    }
  }
  return maxima[0] + __builtin_log1p(product[0]);
}

template <class T>
void softplus_sum(MatrixView<const T> field, const T* bias, const T* scale, double* out) {
  constexpr Index width = Lanes<T>::count, lanes = SoftplusSums::lanes;
  for (Index r = 0; r < field.rows; ++r) {
    const Row<T> row = row_of(field, bias, scale, T{1}, r);
    for (Index begin = 0, end; begin < field.cols; begin = end) {
      end = field.cols - begin < SoftplusSums::columns ? field.cols : begin + SoftplusSums::columns;
      SoftplusSums sums{};
      Index c = begin;
      for (; c + lanes <= end; c += lanes) {
#pragma GCC unroll 8
        for (Index lane = 0; lane < lanes; lane += width) {
          add_softplus<T>(sums, lane, scaled_field(row.from(c + lane), Whole{}));
        }
      }
      if (c < end) {
        // What is left of a row, filled up with elements that add exactly nothing.
        T rest[lanes];
        for (Index lane = 0; lane < lanes; ++lane) {
          rest[lane] = Lanes<T>::softplus_zero;
          if (lane < end - c)
            rest[lane] = (row.field[c + lane] + (bias == nullptr ? T{0} : bias[c + lane])) * row.scale;
        }
        for (Index lane = 0; lane < lanes; lane += width) {
          add_softplus<T>(sums, lane, load<Vector<T>>(rest + lane, Whole{}));
        }
      }
      out[r] += total_of(sums);
    }
  }
}

}  // namespace
}  // namespace v1
}  // namespace harmonium

#include <harmonium/framework/kernels/simd_sparse_sums.inc>
#include <harmonium/framework/kernels/simd_sweep.inc>
// Takes its panels of chains from the other.
#include <harmonium/framework/kernels/simd_sparse_sweep.inc>

namespace harmonium {
inline namespace v1 {
namespace {

#define HARMONIUM_STRING_OF(x) #x
#define HARMONIUM_STRING(x) HARMONIUM_STRING_OF(x)

}  // namespace

namespace simd::HARMONIUM_KERNELS_NAMESPACE {

constinit const Kernels table{
    HARMONIUM_STRING(HARMONIUM_KERNELS_NAMESPACE),
    {bernoulli<float>, logistic<float>, softplus_sum<float>, sweep<float>, sparse_sweep<float>, sparse_sums<float>},
    {bernoulli<double>, logistic<double>, softplus_sum<double>, sweep<double>, sparse_sweep<double>,
     sparse_sums<double>},
    words};

}  // namespace simd::HARMONIUM_KERNELS_NAMESPACE
}  // namespace v1
}  // namespace harmonium
