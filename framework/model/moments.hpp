#pragma once

#include <span>

#include <harmonium/framework/model/layout.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// First and second moments of every unit under distributions that factorize over units, one row a distribution, one
/// matrix a layer. `second` of a layer whose units have no curvature may be empty.
struct Moments {
  PerLayer<ConstMatrixRef> mean, second;
};

/// Where a sampler leaves the conditional means of what it drew last, so that nobody computes their fields again: one
/// matrix a layer (rows × columns; empty: not wanted), and which layers were filled. All filled layers are independent
/// of each other given the rest of the configuration as it stands.
struct LastMeans {
  PerLayer<MatrixRef> mean, second;
  LayerSet filled;
  /// Where wanted, a number a row of the chains: Σ x f over the units of the layers of `multiplied`, f being what other units add to
  /// the field of each. The energy follows from it without another product (LayerKernel::energy).
  std::span<double> products = {};
  LayerSet multiplied;
  /// False where nobody asks for the states of the filled layers afterwards: a sampler may leave them undrawn.
  bool states = true;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
