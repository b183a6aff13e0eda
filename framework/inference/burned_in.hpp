#pragma once

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What a GradientEstimator or a PhaseEstimator derives from besides that may have chains which go on from one update to the
/// next. Those of a model that is trained already must not begin as those of a new one do, far from its law: the first updates
/// would follow the difference. They begin at rows of the data, where such a model puts its mass.
class BurnsIn {
 public:
  virtual ~BurnsIn();
  /// Called once, after `begin`: the model is trained already, and chains that the first update makes begin at rows of its
  /// batch and make so many transitions before it; with 0 they begin as those of a new model. Chains that come with a loaded
  /// state stay as they are. Returns whether there will be such chains.
  virtual bool burn_in(Index steps) = 0;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
