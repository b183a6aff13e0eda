#pragma once

#include <string>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/model/term.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// E = −bᵀx of one layer. Parameter `bias.<layer>`, a number a column.
class BiasTerm final : public UnitTerm {
 public:
  struct Options {
    std::string layer;
    void bind(OptionBinder& o) { o.option("layer", layer, "the layer; must be given"); }
    void validate() const { check_given(layer); }
  };
  explicit BiasTerm(Options options) : options_(std::move(options)) {}

  std::unique_ptr<EnergyTerm> copy() const override { return std::make_unique<BiasTerm>(*this); }
  void declare(const Layout& layout, ParameterLayout& parameters) override;
  Value configuration() const override { return table_of("bias", options_); }
  std::string formula() const override { return "- sum_i b_i " + options_.layer + "_i"; }
  const std::string& layer_name() const { return options_.layer; }
  const Real* bias(LayerId layer, const Real* theta) const override { return numbers(layer, theta); }

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
