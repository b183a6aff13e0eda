#pragma once

#include <memory>
#include <string>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/models/coupling_masks.hpp>
#include <harmonium/models/layered.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

// Named graphs of layers: each a few options that stand for a table of `layered`.

/// Two layers. `num_labels` > 0 adds an observed layer `label` of one categorical unit, coupled with the hidden layer: the
/// class of a row (Larochelle & Bengio 2008).
struct RbmOptions {
  Index num_visible = 0;
  Index num_hidden = 0;
  Index num_labels = 0;
  std::unique_ptr<UnitType> visible_units = {};  ///< null: binary
  std::unique_ptr<UnitType> hidden_units = {};   ///< null: binary
  bool learn_precision = false;                  ///< of Gaussian units
  std::vector<CouplingMask> masks = {};

  void bind(OptionBinder& o);
  void validate() const;
  /// The table of `layered` that it stands for; `effective` is its own, every default written out.
  Value expand(const Value& effective) &&;
  /// A table that `harmonium describe` shows the expansion of.
  static Value example();
};

/// The restricted Boltzmann machine: the units of two layers coupled with each other only (Smolensky 1986; Bengio &
/// Delalleau 2009, equation 2.2 with U = V = 0). Layers `visible` and `hidden`; parameters `bias.visible`, `bias.hidden`,
/// `weight.visible.hidden`, all 0; with labels `bias.label` and `weight.label.hidden`.
std::unique_ptr<LayeredModel> make_rbm(RbmOptions options);

/// The semi-restricted machine (Osindero & Hinton 2008): the visible units coupled with one another too, so that the
/// posterior factorizes as an RBM's does. Parameter `weight.visible.visible` beside an RBM's.
std::unique_ptr<LayeredModel> make_semi_restricted(RbmOptions options);

/// The options of an RBM, for a semi-restricted machine.
struct SemiRestrictedOptions : RbmOptions {
  Value expand(const Value& effective) &&;
};

/// Options of an RBM, and the layers whose units are coupled among themselves.
struct BoltzmannMachineOptions {
  Index num_visible = 0;
  Index num_hidden = 0;
  std::vector<std::string> lateral = {"visible", "hidden"};
  Index num_labels = 0;
  std::unique_ptr<UnitType> visible_units = {};
  std::unique_ptr<UnitType> hidden_units = {};
  bool learn_precision = false;
  std::vector<CouplingMask> masks = {};

  void bind(OptionBinder& o);
  void validate() const;
  /// The table of `layered` that it stands for; `effective` is its own, every default written out.
  Value expand(const Value& effective) const;
  /// A table that `harmonium describe` shows the expansion of.
  static Value example();
};

/// The general Boltzmann machine (Ackley, Hinton & Sejnowski 1985; Bengio & Delalleau 2009, equation 2.2): every visible
/// unit coupled with every hidden one (W), and within each layer that `lateral` names, every unit with every other
/// (U and V). With no lateral layer it is an RBM, with the visible one alone a semi-restricted machine. Parameters
/// `weight.visible.visible` and `weight.hidden.hidden` beside an RBM's, where lateral.
std::unique_ptr<LayeredModel> make_boltzmann_machine(BoltzmannMachineOptions options);

/// One visible layer, every unit coupled with every other: the Ising or Sherrington-Kirkpatrick model of spins, a
/// Hopfield network, the pairwise maximum-entropy model of binary words, the Potts model of categorical units.
struct FullyVisibleOptions {
  Index num_visible = 0;
  std::unique_ptr<UnitType> visible_units = {};
  bool learn_precision = false;
  std::vector<CouplingMask> masks = {};

  void bind(OptionBinder& o);
  void validate() const;
  /// The table of `layered` that it stands for; `effective` is its own, every default written out.
  Value expand(const Value& effective) const;
  /// A table that `harmonium describe` shows the expansion of.
  static Value example();
};
/// Layer `visible`; parameters `bias.visible` and `weight.visible.visible`, all 0.
std::unique_ptr<LayeredModel> make_fully_visible(FullyVisibleOptions options);

/// The deep Boltzmann machine (Salakhutdinov & Hinton 2009): layers in a row, each coupled with the next.
struct DeepOptions {
  Index num_visible = 0;
  std::vector<double> num_hidden = {};  ///< of each hidden layer, from the visible one up; at least two
  Index num_labels = 0;                 ///< > 0: a layer `label`, coupled with the top layer
  std::unique_ptr<UnitType> visible_units = {};
  std::unique_ptr<UnitType> hidden_units = {};
  bool learn_precision = false;
  std::vector<CouplingMask> masks = {};

  void bind(OptionBinder& o);
  void validate() const;
  /// The table of `layered` that it stands for; `effective` is its own, every default written out.
  Value expand(const Value& effective) const;
  /// A table that `harmonium describe` shows the expansion of.
  static Value example();
};
/// Layers `visible`, `hidden1`, `hidden2` …; parameters `bias.<layer>`, `weight.visible.hidden1`,
/// `weight.hidden1.hidden2` …, all 0.
std::unique_ptr<LayeredModel> make_deep(DeepOptions options);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
