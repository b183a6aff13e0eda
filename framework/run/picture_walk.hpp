#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Units of chains that are held while they are drawn. Item i has what is held of sample i.
struct PictureHold {
  /// Writes what is held into chains of `rungs` rows an item; units that go through their states stay in each of them for
  /// `block` items.
  std::function<void(Chains& chains, Index rungs, Index block)> write;
  std::function<HeldMask(Index items, Index rungs)> mask;
  Index states = 0;  ///< of units that go through them; 0: none do
  std::string text;  ///< what is held, for captions
};

/// Which chains are drawn.
struct WalkStart {
  Index count = 0;
  const Dataset* data = nullptr;      ///< they start from its rows; null: from the model's biases
  const PictureHold* hold = nullptr;  ///< null: nothing is held
  Index block = 1;
  double beta = 1.0;  ///< inverse temperature, of the start and of all that follows
};

/// Chains on their way: what is drawn of them after each of some numbers of transitions.
class PictureWalk {
 public:
  /// All but what `start` names must outlive it.
  PictureWalk(const EnergyModel& model, Sampler& sampler, const WalkStart& start, const Execution& execution);

  PictureWalk(const PictureWalk&) = delete;
  PictureWalk& operator=(const PictureWalk&) = delete;

  void advance(Index steps);
  enum class Shown { states, means };
  /// Appends, for each of the chains, the values of these layers: the states, or their means given the latent units where those
  /// are known and the units are free; of a stack given those of its first machine. Whether means are known: at another
  /// temperature than 1 those of models whose energies can be multiplied (scaled_copy).
  bool look(std::span<const LayerId> layers, Shown shown, std::vector<double>& out);

 private:
  /// The model whose law at β = 1 is that of the chains; null where there is none.
  const EnergyModel* model_of_law() const { return target_.beta == 1.0 ? &model_ : at_beta_.get(); }
  void start_from_rows(const Chains& rows);
  void draw_latent(const RandomSource& random);
  void write_held(const WalkStart& start);
  bool is_held(LayerId layer, Index row, Index column) const;

  const EnergyModel& model_;
  Sampler& sampler_;
  const Execution& execution_;
  Chains chains_;
  Target target_;
  std::unique_ptr<EnergyModel> at_beta_;
  HeldMask held_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
