#pragma once

#include <string>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/model/term.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// E = ½ Σ γ x² of one layer of units that have a curvature, such as Gaussian ones. Parameter `log_precision.<layer>`: log γ,
/// a number a column.
class PrecisionTerm final : public UnitTerm {
 public:
  struct Options {
    std::string layer;
    bool learned = false;
    void bind(OptionBinder& o) {
      o.option("layer", layer, "the layer, of Gaussian units; must be given");
      o.option("learned", learned, "whether training moves the precisions, or leaves them as they are");
    }
    void validate() const { check_given(layer); }
  };
  explicit PrecisionTerm(Options options) : options_(std::move(options)) {}

  std::unique_ptr<EnergyTerm> copy() const override { return std::make_unique<PrecisionTerm>(*this); }
  void declare(const Layout& layout, ParameterLayout& parameters) override;
  Value configuration() const override { return table_of("precision", options_); }
  std::string formula() const override { return "+ 1/2 sum_i exp(log_precision_i) " + options_.layer + "_i^2"; }
  const std::string& layer_name() const { return options_.layer; }
  const Real* log_precision(LayerId layer, const Real* theta) const override { return numbers(layer, theta); }
  /// Refuses precisions of 0 and infinity.
  std::optional<std::string> refresh(const Real* theta) override;

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
