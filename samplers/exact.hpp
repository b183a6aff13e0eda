#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct ExactOptions {
  double max_bits = 22;
  void bind(OptionBinder& o) {
    o.option("max_bits", max_bits, "log2 of the most states that may be enumerated (8 bytes each)", within(0, 28));
  }
};

/// Independent draws from the target itself, by enumeration: each step draws every free unit anew, so that what a chain was before
/// leaves no trace. The cheapest set of layers is drawn by inversion from its exact marginal law, the others from their
/// conditionals given it; where single units are held, the layers that these are of are among those that are enumerated, for their
/// free units alone. Where nothing is held the law is a table a temperature, which is kept for as long as calls are of the same
/// model with the same parameters; rows that are held alike share one.
class Exact final : public Sampler {
 public:
  using Options = ExactOptions;
  explicit Exact(Options options = {}) : options_(options) {}

  /// Throws CapabilityError for a base, for what cannot be enumerated, given what is held in the first row, and where the rest is
  /// not independent given it: Gaussian units that are coupled with one another.
  void check(const Target& target) const override;
  void memory(const EnergyModel& model, MemoryNeed& need) const override;
  /// Throws CapabilityError where a row has too many free units.
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last = nullptr) override;
  double products_per_step() const override { return 1.0; }

 private:
  /// Cumulative probabilities of all states.
  using Cumulative = std::vector<double>;
  /// Draws the layers that are enumerated; returns those that are not, and not held.
  LayerSet draw_given_layers(const Target& target, Chains& chains, std::uint64_t step, const Execution& execution);
  /// Forgets the tables of another model, of other parameters, and of temperatures at which no chain is.
  void keep_tables_of(const Target& target, const Chains& chains);

  Options options_;
  const EnergyModel* model_ = nullptr;   ///< of the tables; compared only
  std::vector<Real> parameters_;         ///< what it had then
  std::map<double, Cumulative> tables_;  ///< of each β
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
