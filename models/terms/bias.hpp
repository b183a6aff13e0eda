#pragma once

#include <optional>
#include <string>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/model/term.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// E = −bᵀx of one layer. Parameter `bias.<layer>`, a number a column; where it is uniform, all of them one parameter, E = −b Σ x.
class BiasTerm final : public UnitTerm {
 public:
  struct Options {
    std::string layer;
    bool uniform = false;
    void bind(OptionBinder& o);
    void validate() const { check_given(layer); }
  };
  explicit BiasTerm(Options options) : options_(std::move(options)) {}

  std::unique_ptr<EnergyTerm> copy() const override { return std::make_unique<BiasTerm>(*this); }
  /// Throws ConfigError where a uniform bias is of units of several columns.
  void declare(const Layout& layout, ParameterLayout& parameters) override;
  Value configuration() const override;
  std::string formula() const override;
  const std::string& layer_name() const { return options_.layer; }
  const Real* bias(LayerId layer, const Real* theta) const override { return numbers(layer, theta); }
  /// Refuses a uniform bias whose entries differ.
  std::optional<std::string> refresh(const Real* theta) override;

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
