#pragma once

#include <harmonium/framework/training/initializer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// An RBM that already has the clusters of the data, with their weights: that of low rank which is likeliest given where rows lie along
/// the data's few leading principal directions (Decelle & Furtlehner 2021, Phys. Rev. Lett. 127, 158303; Béreux, Decelle, Furtlehner,
/// Rosset & Seoane 2025). Log Z is a sum over these directions, so that nothing is sampled, and no mode is missed.
///
/// The couplings are W = U Aᵀ with the directions U, and all else follows from it: where units of the observed layer are independent
/// given the overlaps y = Uᵀ(x − m), hidden units see y alone. Other couplings are 0.
///
/// For one observed and one latent layer of units of two values. Needs data without missing entries; of more than 10,000 rows it takes
/// as many, evenly spread. Throws ConfigError where a model has no place for it, or data have no such directions.
class LowRankInitializer final : public Initializer {
 public:
  struct Options {
    Index rank = 2;
    Index iterations = 300;
    void bind(OptionBinder& o);
  };
  explicit LowRankInitializer(Options options) : options_(options) {}
  void initialize(EnergyModel& model, const Dataset* data, const Execution& execution) const override;
  bool fits_data() const override { return true; }

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
