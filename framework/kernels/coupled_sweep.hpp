#pragma once

#include <string_view>

#include <harmonium/framework/kernels/bit_products.hpp>
#include <harmonium/framework/kernels/kernels.hpp>

namespace harmonium {
inline namespace v1 {

/// What the field of a unit of a chain costs in an in-order sweep by products and by sums, in nanoseconds on one machine (Zen 5); only
/// ratios matter.
struct CostOfSweeps {
  struct OfChains {
    double multiplication;  ///< and addition of KernelsOf::sweep
    double addition;        ///< of a coupling with a unit that is 1
    double part;            ///< of ones that are added up together
    double rest;            ///< of sums, beside
  };
  OfChains many, few;  ///< chains side by side, and one by one (KernelsOf::sweep)
  double copying;      ///< of a coupling, for all chains

  /// For an instruction set of this machine, by its name.
  static CostOfSweeps of(std::string_view isa);
  /// Of numbers in double precision: half as many in a vector.
  CostOfSweeps in_double() const;
  /// For the instruction set that is in use.
  static CostOfSweeps here(bool in_double);
  /// The share of ones up to which sums cost less for so many chains and units; 0 or below: never.
  double limit(Index rows, Index units) const;
};

/// The share of ones up to which a sweep of so many chains takes sums; 0 or below: never, as of no more units than a block, or more than
/// lists have room for.
double limit_of_sums(const CostOfSweeps& cost, ProductWay way, Index rows, Index units);

/// Whether couplings are copied side by side before they are summed. A copy costs the same for any number of chains, so that it pays where
/// there are many ones in all their states at the start.
bool copies_couplings(Index ones, Index units);

/// KernelsOf::sweep, by one of two ways. `gemm` is that. With `sparse_sums`, where all states are 0 or 1, it sweeps blocks of 64 units,
/// whose fields from all other blocks are sums of the couplings with units that are 1. `automatic` takes what costs less
/// (CostOfSweeps) for as many states of all rows as are 1 at the start; so do the ways of integers, which this has none of. The sums over
/// other blocks are taken in an order that depends on a chain's states alone.
template <std::floating_point T>
void sweep_coupled(const KernelsOf<T>& kernels, const DrawBlock& block, const CoupledUnits<T>& units,
                   MatrixView<T> state, ProductWay way = product_way());

extern template void sweep_coupled(const KernelsOf<float>&, const DrawBlock&, const CoupledUnits<float>&,
                                   MatrixView<float>, ProductWay);
extern template void sweep_coupled(const KernelsOf<double>&, const DrawBlock&, const CoupledUnits<double>&,
                                   MatrixView<double>, ProductWay);

}  // namespace v1
}  // namespace harmonium
