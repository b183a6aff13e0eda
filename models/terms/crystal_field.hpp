#pragma once

#include <string>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/model/term.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// E = Σ D x² of one layer of units of several levels: the crystal field, or single-ion anisotropy, of Blume (1966) and Capel
/// (1966), with their sign: D > 0 favors the level 0. Parameter `crystal_field.<layer>`: D, a number a column, of either sign.
class CrystalFieldTerm final : public UnitTerm {
 public:
  struct Options {
    std::string layer;
    bool learned = true;
    void bind(OptionBinder& o) {
      o.option("layer", layer, "the layer, of units of several levels; must be given");
      o.option("learned", learned, "whether training moves the field, or leaves it as it is");
    }
    void validate() const { check_given(layer); }
  };
  explicit CrystalFieldTerm(Options options) : options_(std::move(options)) {}

  std::unique_ptr<EnergyTerm> copy() const override { return std::make_unique<CrystalFieldTerm>(*this); }
  /// Throws ConfigError where x² of the units says nothing that x does not, or is held together by a precision.
  void declare(const Layout& layout, ParameterLayout& parameters) override;
  Value configuration() const override { return table_of("crystal_field", options_); }
  std::string formula() const override { return "+ sum_i D_i " + options_.layer + "_i^2"; }
  const std::string& layer_name() const { return options_.layer; }
  const Real* crystal_field(LayerId layer, const Real* theta) const override { return numbers(layer, theta); }

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
