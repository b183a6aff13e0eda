#pragma once

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/samplers/neighborhood.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct LocallyBalancedOptions {
  Index moves = 0;
  Balance balance = Balance::barker;
  bool marginal = false;
  void bind(OptionBinder& o);
};

/// Locally balanced moves of discrete units (Zanella 2020; Grathwohl, Swersky, Hashemi, Duvenaud & Maddison 2021, here with exact
/// ratios). A move looks at all neighbors of a row, the rows that differ from it in the state of one unit, and proposes one with
/// probability proportional to g(π(y)/π(x)), g(t) = √t or t/(1 + t); it is accepted with probability min(1, Z(x)/Z(y)), Z being the
/// sum of all neighbors' g. So a move goes where the law leads, and none is spent on a unit that would stay where it is.
///
/// One step is `moves` such moves of each row (0: one for each ten discrete units, at least one), and an exact draw of each block
/// of the continuous layers. Marginal: the observed units move with all others summed out; these are then drawn given them, and
/// after that the continuous observed ones.
///
/// A move costs two looks at all neighbors, each about a product. Held layers and units are no neighbors. A chain's draws depend
/// on its number and step only.
class LocallyBalanced final : public Sampler {
 public:
  using Options = LocallyBalancedOptions;
  explicit LocallyBalanced(Options options = {}) : options_(options) {}

  /// Throws CapabilityError where no layer that is to move is discrete, the model or the base offers no free energy, or there are
  /// continuous layers without block conditionals. Marginal: where the latent units cannot be summed out, are coupled given the
  /// observed ones, or are held; and with a base or a ladder.
  void check(const Target& target) const override;
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last = nullptr) override;
  double products_per_step() const override {
    return 2.0 * static_cast<double>(options_.moves > 0 ? options_.moves : 10);
  }
  void memory(const EnergyModel& model, MemoryNeed& need) const override;

 private:
  void check_marginal(const Target& target) const;
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
