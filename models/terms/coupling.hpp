#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/model/term.hpp>
#include <harmonium/models/terms/exact_couplings.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// E = −x_aᵀ W x_b of two layers, a before b in the layout. Parameter `weight.<a>.<b>`, columns of a × columns of b; of a
/// masked one only some entries exist.
class CouplingTerm final : public EnergyTerm {
 public:
  struct Options {
    std::vector<std::string> layers;
    void bind(OptionBinder& o) { o.option("layers", layers, "the two layers; must be given"); }
    void validate() const;
  };
  explicit CouplingTerm(Options options) : options_(std::move(options)) {}

  std::unique_ptr<EnergyTerm> copy() const override { return std::make_unique<CouplingTerm>(*this); }
  void declare(const Layout& layout, ParameterLayout& parameters) override;
  Value configuration() const override { return table_of("coupling", options_); }
  std::string formula() const override {
    return "- sum_ij w_ij " + options_.layers[0] + "_i " + options_.layers[1] + "_j";
  }
  LayerSet layers() const override { return LayerSet().add(a_).add(b_); }
  bool couples(LayerId a, LayerId b) const override { return (a == a_ && b == b_) || (a == b_ && b == a_); }

  void add_fields(LayerId layer, Index begin, Index end, ConstChainView x, const Real* theta, Real keep,
                  MatrixRef out) const override;
  void add_exact_fields(LayerId layer, const ExactRows& x, const Real* theta, MatrixView<double> out) const override;
  void add_energy(double factor, const ExactRows& x, const Real* theta, std::span<double> out) const override;
  void add_gradient(const Moments& q, std::span<const double> weights, const Real* theta, std::span<Real> gradient,
                    const Executor& executor) const override;
  std::optional<std::string> refresh(const Real* theta) override {
    exact_.follow(tensor_.of(theta));
    return {};
  }
  double operations() const override { return 2.0 * static_cast<double>(tensor_.rows * tensor_.cols); }
  bool set_mask(ParameterLayout& parameters, Index position, std::vector<std::uint8_t> mask) override;
  std::optional<Bilinear> bilinear() const override { return Bilinear{a_, b_, tensor_}; }

 private:
  Options options_;
  LayerId a_{}, b_{};
  Tensor tensor_;
  ExactCouplings exact_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
