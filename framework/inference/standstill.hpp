#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether chains stand where they started, and whether that is the sampler's fault: then they are draws of the start, and
/// not of the model.
///
/// Standing still is no fault by itself. Discrete units stay where their conditionals are sharp, and after few transitions
/// even good proposals may all have been refused. But no two draws of a continuous unit are alike, so that a layer of
/// such units which is what it was has had every proposal refused: of proposals that are accepted with the probability a
/// or more, n transitions leave it so with (1 − a)^n at most, a being the lowest acceptance that the sampler states. A fault
/// is what would have a probability below 1e-9 at that. Of models without continuous units that move only this counts:
/// that nothing at all was accepted, of a sampler that states such an a.
class Standstill {
 public:
  explicit Standstill(const Layout& layout) : layout_(layout), counts_(layout.size()) {}

  /// Remembers where chains start, of which `held` (may be null) says what does not move.
  void started(const Chains& chains, const HeldMask* held);
  /// The chains that started last have made `transitions`.
  void ended(const Chains& chains, std::uint64_t transitions);
  /// What is wrong, or nothing: "layer 'visible' stands where it started in 7 of 10 rows, after 500 transitions (…)".
  /// `moves`: the reports of all that these chains did.
  std::string complaint(const SamplerReport& moves) const;

 private:
  /// The rows of a layer that could move and did not, by the number of transitions: chains may differ in that.
  struct Count {
    std::uint64_t rows = 0, still = 0, transitions = 0;
  };
  /// A number for each row of a continuous layer that stands for the values of its units.
  std::vector<std::uint64_t> prints(const Chains& chains, LayerId layer) const;

  const Layout& layout_;
  std::vector<Count> counts_;                       ///< of each layer
  std::vector<std::vector<std::uint64_t>> before_;  ///< of each layer; empty: not continuous, or held
  std::vector<std::vector<bool>> free_;             ///< of each row of a layer, whether some unit of it may move
};

/// Rows that are taken while a sampler adapts itself follow no fixed law. Throws ConfigError where it does so in transition
/// `first`, after which the first of them is taken. `where` says what that number goes by ("--steps 20"), `name` the sampler (empty:
/// it has none here), `amount` what to give so that `first` is the least that serves ("--steps 501"), `taken` what is taken.
void check_adapted(const Sampler& sampler, std::string_view name, std::uint64_t first, std::string_view where,
                   FunctionRef<std::string(std::uint64_t least)> amount,
                   std::string_view taken = "rows taken before follow");

/// What to do where too few (or too small) proposals are accepted: which option of the sampler that the table `effective`
/// made says how large they are. `path` is that table's: "sampler".
std::string proposal_remedy(const Value& effective, const std::string& path, double acceptance);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
