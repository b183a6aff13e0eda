#pragma once

#include <array>
#include <string>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/model/term.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// E = −Σ_t J_t x_i x_j x_k over triples t = (i, j, k) of units of one layer, each of one column (Sejnowski 1986). Parameter
/// `triple.<layer>`, a number a triple. Linear in each unit, so that Gibbs sampling and closed expectations stay.
class ThirdOrderTerm final : public EnergyTerm {
 public:
  struct Options {
    std::string layer;
    std::vector<std::string> triples;
    void bind(OptionBinder& o) {
      o.option("layer", layer, "the layer; must be given");
      o.option("triples", triples, "units that are coupled, such as \"0 1 2\", counted from 0; none: all triples");
    }
    void validate() const { check_given(layer); }
  };
  explicit ThirdOrderTerm(Options options) : options_(std::move(options)) {}

  std::unique_ptr<EnergyTerm> copy() const override { return std::make_unique<ThirdOrderTerm>(*this); }
  void declare(const Layout& layout, ParameterLayout& parameters) override;
  Value configuration() const override { return table_of("third_order", options_); }
  std::string formula() const override;
  LayerSet layers() const override { return LayerSet().add(layer_); }
  bool couples(LayerId a, LayerId b) const override { return a == layer_ && b == layer_; }
  bool add_neighbors(LayerId layer, std::vector<std::vector<std::uint32_t>>& neighbors) const override;

  void add_fields(LayerId layer, Index begin, Index end, ConstChainView x, const Real* theta, Real keep,
                  MatrixRef out) const override;
  void add_exact_fields(LayerId layer, const ExactRows& x, const Real* theta, MatrixView<double> out) const override;
  void add_energy(double factor, const ExactRows& x, const Real* theta, std::span<double> out) const override;
  void add_gradient(const Moments& q, std::span<const double> weights, const Real* theta, std::span<Real> gradient,
                    const Executor& executor) const override;
  double operations() const override { return 3.0 * static_cast<double>(triples_.size()); }

 private:
  struct Partners {
    Index j, k, triple;
  };
  void read_triples(Index units);
  template <class T>
  void add_products(Index begin, Index end, MatrixView<const T> x, const Real* theta, MatrixView<T> out) const;

  Options options_;
  LayerId layer_{};
  Tensor tensor_;
  std::vector<std::array<Index, 3>> triples_;
  std::vector<std::vector<Partners>> partners_;  ///< of each unit
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
