#pragma once

#include <optional>
#include <string>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/model/term.hpp>
#include <harmonium/models/sparse_lateral.hpp>
#include <harmonium/models/terms/exact_couplings.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// E = −½ xᵀ L x of one layer, L symmetric with zero diagonal (the states of one unit are not coupled with each other
/// either): U and V of Bengio & Delalleau (2009), equation 2.2. Parameter `weight.<layer>.<layer>`. With a mask only the
/// pairs exist that it names, and the work is theirs.
class LateralTerm final : public EnergyTerm {
 public:
  struct Options {
    std::string layer;
    void bind(OptionBinder& o) { o.option("layer", layer, "the layer; must be given"); }
    void validate() const { check_given(layer); }
  };
  explicit LateralTerm(Options options) : options_(std::move(options)) {}

  std::unique_ptr<EnergyTerm> copy() const override { return std::make_unique<LateralTerm>(*this); }
  void declare(const Layout& layout, ParameterLayout& parameters) override;
  Value configuration() const override { return table_of("lateral", options_); }
  std::string formula() const override { return "- sum_{i<j} w_ij " + options_.layer + "_i " + options_.layer + "_j"; }
  LayerSet layers() const override { return LayerSet().add(layer_); }
  bool couples(LayerId a, LayerId b) const override { return a == layer_ && b == layer_; }
  bool add_neighbors(LayerId layer, std::vector<std::vector<std::uint32_t>>& neighbors) const override;

  void add_fields(LayerId layer, Index begin, Index end, ConstChainView x, const Real* theta, Real keep,
                  MatrixRef out) const override;
  void add_exact_fields(LayerId layer, const ExactRows& x, const Real* theta, MatrixView<double> out) const override;
  void add_energy(double factor, const ExactRows& x, const Real* theta, std::span<double> out) const override;
  void add_gradient(const Moments& q, std::span<const double> weights, const Real* theta, std::span<Real> gradient,
                    const Executor& executor) const override;
  void finish_gradient(std::span<Real> gradient) const override;
  double operations() const override;
  /// Refuses an L that is not symmetric with zero diagonal.
  std::optional<std::string> refresh(const Real* theta) override;
  bool set_mask(ParameterLayout& parameters, Index position, std::vector<std::uint8_t> mask) override;
  std::optional<Bilinear> bilinear() const override { return Bilinear{layer_, layer_, tensor_}; }

  /// Its couplings one by one, as of the last refresh; null without a mask.
  const SparseLateral* sparse() const { return sparse_ ? &*sparse_ : nullptr; }

 private:
  Options options_;
  LayerId layer_{};
  Index width_ = 1;  ///< columns of a unit
  Tensor tensor_;
  ExactCouplings exact_;
  std::optional<SparseLateral> sparse_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
