#pragma once

#include <memory>
#include <string>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/models/pairwise.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

// Named graphs of layers for the one pairwise model. The restricted Boltzmann machine has a header of its own (rbm.hpp).

/// The general Boltzmann machine (Ackley, Hinton & Sejnowski 1985; Bengio & Delalleau 2009, equation 2.2): every visible
/// unit coupled with every hidden one (W), and within each layer that `lateral` names, every unit with every other
/// (U and V). With no lateral layer it is an RBM, with the visible one alone a semi-restricted machine.
struct BoltzmannMachineOptions {
  Index num_visible = 0;
  Index num_hidden = 0;
  std::vector<std::string> lateral = {"visible", "hidden"};
  std::unique_ptr<UnitType> visible_units = {};  ///< null: binary
  std::unique_ptr<UnitType> hidden_units = {};   ///< null: binary
  bool learn_precision = false;                  ///< of Gaussian units

  void bind(OptionBinder& o);
  void validate() const;
};
/// Layers `visible` and `hidden`; parameters `bias.visible`, `bias.hidden`, `weight.visible.hidden`, and
/// `weight.visible.visible`, `weight.hidden.hidden` where lateral; all 0.
std::unique_ptr<Pairwise> make_boltzmann_machine(BoltzmannMachineOptions options);

/// The semi-restricted machine (Osindero & Hinton 2008): lateral couplings of the visible layer alone, so that the
/// posterior factorises as an RBM's does.
struct SemiRestrictedOptions {
  Index num_visible = 0;
  Index num_hidden = 0;
  std::unique_ptr<UnitType> visible_units = {};  ///< null: binary
  std::unique_ptr<UnitType> hidden_units = {};   ///< null: binary
  bool learn_precision = false;

  void bind(OptionBinder& o);
  void validate() const;
};
std::unique_ptr<Pairwise> make_semi_restricted(SemiRestrictedOptions options);

/// One visible layer, every unit coupled with every other: the Ising or Sherrington-Kirkpatrick model of spins, a
/// Hopfield network, the pairwise maximum-entropy model of binary words, the Potts model of categorical units.
struct FullyVisibleOptions {
  Index num_visible = 0;
  std::unique_ptr<UnitType> visible_units = {};
  bool learn_precision = false;

  void bind(OptionBinder& o);
  void validate() const;
};
/// Layer `visible`; parameters `bias.visible` and `weight.visible.visible`, all 0.
std::unique_ptr<Pairwise> make_fully_visible(FullyVisibleOptions options);

/// The deep Boltzmann machine (Salakhutdinov & Hinton 2009): layers in a row, each coupled with the next.
struct DeepOptions {
  Index num_visible = 0;
  std::vector<double> num_hidden = {};  ///< of each hidden layer, from the visible one up; at least two
  std::unique_ptr<UnitType> visible_units = {};
  std::unique_ptr<UnitType> hidden_units = {};
  bool learn_precision = false;

  void bind(OptionBinder& o);
  void validate() const;
};
/// Layers `visible`, `hidden1`, `hidden2` …; parameters `bias.<layer>`, `weight.visible.hidden1`,
/// `weight.hidden1.hidden2` …, all 0.
std::unique_ptr<Pairwise> make_deep(DeepOptions options);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
