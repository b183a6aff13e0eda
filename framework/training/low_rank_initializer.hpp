#pragma once

#include <harmonium/framework/training/initializer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// An RBM that already has the clusters of the data, with their weights: one of low rank, whose hidden units see of a row only where it
/// lies along the data's leading principal directions (Decelle & Furtlehner 2021, Phys. Rev. Lett. 127, 158303; Béreux, Decelle,
/// Furtlehner, Rosset & Seoane 2025), W = U Aᵀ. A, and both layers' biases, are the likeliest that are found.
///
/// Unlike theirs, it lets a few hidden units alone see the data, 2^12 states at most, over which Z is a sum: nothing is sampled, and
/// of these units nothing approximated. The others begin with small random couplings, centered, so that to first order they lean to no
/// row: what is left of them is some columns · std² / 8 nats a unit.
///
/// For one observed and one latent layer of units of two values. Needs bits without missing entries. Throws ConfigError where a model
/// has no place for it, or data have no such directions.
class LowRankInitializer final : public Initializer {
 public:
  struct Options {
    Index rank = 3;
    Index units = 8;
    Index starts = 4;
    Index iterations = 300;
    double std = 0.001;
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
