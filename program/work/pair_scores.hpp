#pragma once

#include <optional>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/program/work/pair_choice.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// How strongly the units of the one layer whose units are coupled with each other are so, pair by pair: by a tensor of their own, by
/// normal latent units (latent_couplings.hpp), or by both.
struct PairScores {
  LayerId layer{};
  Index units = 0;
  bool states = false;  ///< units have several states, and are scored by norms
  /// units × units, the diagonal 0. Of units of several states the Frobenius norms of their couplings in the zero-sum gauge; of others
  /// the couplings J.
  std::vector<double> strengths;
  /// What the average product correction leaves of norms (contact_scores.hpp); of other units |J|.
  std::vector<double> scores;
};

/// The layer that they would be of. Throws CapabilityError where couplings of pairs are not all there is, as with most latent units, or
/// units have no finite list of states.
LayerId layer_of_pairs(const EnergyModel& model);

/// Throws ConfigError for a state to leave out that units of the layer have not, and where no two of them are so far apart.
void check_choice(const PairChoice& choice, const Layer& layer);

/// `left_out`: a state that has no part in norms. Throws as layer_of_pairs does, and where memory does not suffice; `who` names in that
/// what asks for them.
PairScores pair_scores(const EnergyModel& model, std::optional<Index> left_out, const char* who);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
