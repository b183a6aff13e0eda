#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/execution/stream.hpp>
#include <harmonium/framework/kernels/sparse_sums.hpp>

namespace harmonium {
inline namespace v1 {

/// A layer of coupled units of two states, low < high: given the rest, unit c of row r is at `high` with probability
///   sigm(scale[r] (high - low) (field(r, c) + bias[c] + sum over j of coupling(c, j) state(r, j))).
/// Plain data.
template <class T>
struct CoupledUnits {
  MatrixView<const T> coupling;              ///< units x units, symmetric, the diagonal 0
  MatrixView<const T> field = {};            ///< rows x units: what the rest of the model adds; null data: 0
  const T* bias = nullptr;                   ///< one a unit; null: 0
  const T* scale = nullptr;                  ///< one a row, the inverse temperature; null: 1
  MatrixView<const std::uint8_t> held = {};  ///< rows x units; what is not 0 keeps its state; null data: nothing
  T low = 0, high = 1;
};

/// The couplings of a layer of which few pairs of units are coupled, and the order that its units are drawn in: classes of
/// units that are not coupled with one another (a coloring). Plain data.
template <class T>
struct SparseCoupling {
  const std::uint32_t* order;  ///< the units, class after class
  const Index* class_end;      ///< where in `order` each class ends
  Index num_classes;
  const Index* begin;             ///< the neighbors of unit u are the entries [begin[u], begin[u + 1])
  const std::uint32_t* neighbor;  ///< the other unit of each entry
  const T* value;                 ///< the coupling of each entry
};

/// Memory that a sweep of a layer of `units` works in, in elements.
constexpr Index sweep_scratch(Index units) { return 32 * units + 16; }

/// The vectorized inner loops over a tile for one scalar type T, in which x(r, c) = scale[r] * (field(r, c) + bias[c]).
/// All matrices of a call have the shape of `field` and any stride; `bias` (cols) may be null and is then 0, `scale`
/// (rows, the inverse temperatures) may be null and is then 1. An output may be `field` itself, element for element,
/// but must not overlap it otherwise. Every function but `sweep` computes the same bits on all instruction sets, and all
/// may be called concurrently on disjoint outputs. None throws.
template <class T>
struct KernelsOf {
  /// state(r, c) = 1 with probability sigm(x), else 0, by the word of row r, site c, draw 0 of the block. Drawn by
  /// u (1 + exp(-x)) < 1, which saves the division; hence probabilities are kept to the resolution of uniform<T>.
  /// `mean` receives sigm(x) unless its data is null. A NaN field gives state 0 and mean NaN.
  void (*bernoulli)(const DrawBlock& block, MatrixView<const T> field, const T* bias, const T* scale,
                    MatrixView<T> state, MatrixView<T> mean);

  /// out(r, c) = sigm(x). Exactly 0 where exp(-x) overflows, at infinity too; NaN where x is.
  void (*logistic)(MatrixView<const T> field, const T* bias, const T* scale, MatrixView<T> out);

  /// out[r] += sum over c of log(1 + exp(x)), accumulated in double: infinite only where x is.
  void (*softplus_sum)(MatrixView<const T> field, const T* bias, const T* scale, double* out);

  /// Redraws every unit of every row of `state` (rows x units, any values before) in order, each from its law given the
  /// others as they stand: a systematic scan (Geman & Geman 1984). Unit c of row r goes by the word of row r, site c,
  /// draw 0, in the way of `bernoulli`. `scratch` has sweep_scratch(units) elements. How the sum over j is rounded may
  /// depend on how many rows there are and where among them a row stands, and on whether the instruction set multiplies and
  /// adds in one rounding (v3 and v4 do: they give the same bits).
  void (*sweep)(const DrawBlock& block, const CoupledUnits<T>& units, MatrixView<T> state, T* scratch);

  /// The same where few units are coupled, in the order of `coupling`; that of `units` is not looked at. The same bits for
  /// any number of rows.
  void (*sparse_sweep)(const DrawBlock& block, const SparseCoupling<T>& coupling, const CoupledUnits<T>& units,
                       MatrixView<T> state, T* scratch);

  /// Products with matrices of bits.
  SparseSums<T> sums;
};

/// All kernels, compiled for one instruction set.
struct Kernels {
  std::string_view name;
  KernelsOf<float> f32;
  KernelsOf<double> f64;

  /// words[w * n + i] = word w (0 to 3) of the counter of site first_site + i for the four chains 4 chain_quad + w,
  /// whose block is at `block` (its first_chain is not looked at): DrawBlock::word, many at a time.
  void (*words)(const DrawBlock& block, std::uint32_t chain_quad, std::uint32_t first_site, std::uint32_t draw, Index n,
                std::uint32_t* words);
};

/// Those that this machine can run, the best last. The first, "baseline", runs everywhere.
std::vector<const Kernels*> available_kernels();

/// The one of that name, or of the level of one with instructions that multiply bytes, such as v4+vnni
/// (integer_tiles.hpp). Throws ConfigError, for the variable HARMONIUM_ISA, if this machine has none of it.
const Kernels& kernels_named(std::string_view name);

/// The best of this machine, or the one that the environment variable HARMONIUM_ISA names (baseline, v3 or v4, the
/// levels of the x86-64 psABI, with or without instructions that multiply bytes). Chosen at the first call, for good. Throws as kernels_named does.
const Kernels& kernels();

/// The half of kernels() that works on T.
template <std::floating_point T>
const KernelsOf<T>& kernels_of() {
  if constexpr (std::same_as<T, float>) {
    return kernels().f32;
  } else {
    static_assert(std::same_as<T, double>);
    return kernels().f64;
  }
}

}  // namespace v1
}  // namespace harmonium
