#pragma once

#include <memory>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/models/pairwise.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The restricted Boltzmann machine: the pairwise model of one observed and one latent layer, coupled with each other
/// only (Smolensky 1986; Bengio & Delalleau 2009, equation 2.2 with U = V = 0).
struct RbmOptions {
  Index num_visible = 0;
  Index num_hidden = 0;
  std::unique_ptr<UnitType> visible_units = {};  ///< null: binary
  std::unique_ptr<UnitType> hidden_units = {};   ///< null: binary

  void bind(OptionBinder& o);
  void validate() const;
};

/// Layers `visible` and `hidden`; parameters `bias.visible`, `bias.hidden`, `weight.visible.hidden`, all 0.
std::unique_ptr<Pairwise> make_rbm(RbmOptions options);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
