#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/model/term.hpp>
#include <harmonium/models/sparse_lateral.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// E = −Σ_e w_e x_iᵀ x_j over the edges e = (i, j) of a lattice whose sites are the units of one layer: Ising and spin-glass
/// models, with Gaussian units free fields, and with categorical units, whose columns are their states, Potts models. Memory and work are those of the edges,
/// where a LateralTerm with a mask keeps a number for every pair. Parameter `lattice.<layer>`: a number an edge, sites in row
/// order (the last axis fastest) and at each site its offsets in order, or a number an offset, as of the anisotropic Ising model
/// and that of J1 and J2, neighbors and next ones, or one for several offsets, as of the isotropic ones. The slope by a number that
/// edges share is the sum of theirs.
class LatticeTerm final : public EnergyTerm {
 public:
  struct Options {
    std::string layer;
    std::vector<double> shape, open_axes;
    std::vector<std::string> offsets;  ///< each as "0 1" or "0,1", a number an axis
    bool uniform = false;
    std::vector<double> share =
        {};  ///< of a uniform one the number of each offset's coupling, from 0; empty: 0, 1, 2, …
    void bind(OptionBinder& o);
    void validate() const;
  };
  explicit LatticeTerm(Options options);

  std::unique_ptr<EnergyTerm> copy() const override { return std::make_unique<LatticeTerm>(*this); }
  /// Throws ConfigError where the layer is continuous and not Gaussian, has another lattice or has not as many units as there are sites, or where a
  /// pair of sites would be joined twice, or where the precision matrix of Gaussian units has no room.
  void declare(const Layout& layout, ParameterLayout& parameters) override;
  Value configuration() const override { return table_of("lattice", options_); }
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
  double operations() const override { return 2.0 * couplings_->num_products(); }
  std::optional<std::string> refresh(const Real* theta) override;

  LayerId layer() const { return layer_; }
  /// gradient −= factor · the covariances of the units that an edge joins, of a matrix of all pairs of the layer.
  void subtract_covariances(double factor, MatrixView<const double> covariance, std::span<Real> gradient) const {
    couplings_->subtract_pairs(factor, covariance, gradient.subspan(tensor_.offset, tensor_.rows));
  }
  /// Its couplings one by one, as of the last refresh.
  const SparseLateral* sparse() const { return &*couplings_; }

 private:
  Options options_;
  LayerId layer_{};
  Index width_ = 1;  ///< columns of a unit
  Tensor tensor_;
  std::optional<SparseLateral> couplings_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
