#pragma once

#include <vector>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Chains on their way: what is drawn of them after each of some numbers of transitions.
class PictureWalk {
 public:
  /// `count` chains that start from rows of `data`, or, where that is null, from the model's biases. All but `data` must
  /// outlive it.
  PictureWalk(const EnergyModel& model, Sampler& sampler, Index count, const Dataset* data, const Execution& execution);

  void advance(Index steps);
  enum class Shown { states, means };
  /// Appends count × columns values of a layer: the states, or their means given the latent units where those are known.
  void look(LayerId layer, Shown shown, std::vector<double>& out);

 private:
  void start_from_rows(const Chains& rows, const RandomSource& random);

  const EnergyModel& model_;
  Sampler& sampler_;
  const Execution& execution_;
  Chains chains_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
