#pragma once

#include <functional>
#include <memory>
#include <random>
#include <vector>

#include <harmonium/framework/testing/mean_changes.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/tests/support/stationarity.hpp>

/// Exact-start tests of targets with continuous units: draws from the exact law, and a cut of the space into cells whose
/// probabilities are known, so that one chi-square sees the joint law.
namespace harmonium::testing {

/// A law that can be drawn from exactly. A row is the columns of all layers in layout order; what is held in it has one
/// value.
class DrawableLaw {
 public:
  virtual ~DrawableLaw() = default;
  virtual void draw(std::mt19937_64& random, std::vector<double>& row) const = 0;
  /// The probabilities of the cells.
  virtual const Law& cells() const = 0;
  virtual std::size_t cell(const std::vector<double>& row) const = 0;
};

/// Makes the law of a target at β, given the units that `held` marks (a byte each, all layers in order).
using LawMaker = std::function<std::unique_ptr<DrawableLaw>(double beta, const std::vector<std::uint8_t>& held)>;

struct ContinuousScenario {
  const EnergyModel& model;
  LawMaker law;
  const EnergyModel* base = nullptr;
  double beta = 1.0;
  std::vector<double> ladder = {};
  LayerSet held_layers = {};
  std::vector<std::vector<std::uint8_t>> held_units = {};
  Index steps = 1;
  Index batch = 1000;
  Index draws = 100'000;
  std::uint32_t first_chain = 0;
  int threads = 1;
};

/// `means`, of `batch` rows, receives what becomes of the chains besides: sharper than cells for what widens or narrows a
/// law.
Findings examine_continuous(Sampler& sampler, const ContinuousScenario& scenario, MeanChanges* means = nullptr);

/// The law of a pairwise model of one Gaussian layer, and perhaps some of bits after it, all coupled as they may be;
/// mixed with another of the same layout where there is a base:
///   E(x, h) = ½ xᵀAx − kᵀx − xᵀWh − c·h − ½ hᵀLh.
/// States of h are enumerated, x given h is normal by the Cholesky factor of A. Cells: the state of h and the quarter of
/// the normal law that each whitened coordinate of x is in. Held Gaussian units have the values held_gaussian(i), held
/// bits held_bit(j).
LawMaker gaussian_binary_law(const EnergyModel& model, const EnergyModel* base = nullptr);
double held_gaussian(Index unit);
double held_bit(Index unit);

/// 3 Gaussian visible units and `num_hidden` bits, with random parameters; `lateral_visible`: the Gaussian units coupled
/// among themselves so that A is positive definite.
std::unique_ptr<LayeredModel> small_gaussian(Index num_hidden, bool lateral_visible, bool lateral_hidden,
                                             std::uint64_t seed);

/// One layer of `size` Gaussian units of mean 0 and precision 1, each pair coupled by `coupling`.
std::unique_ptr<LayeredModel> coupled_normals(Index size, double coupling);

/// Two continuous units and neither conditionals nor anything else but an energy and its slope:
///   E(x, y) = a (x² − 1)² + c x y + ½ y².
class DoubleWell final : public EnergyModel, private StateGradient {
 public:
  DoubleWell(double a, double c);
  const Layout& layout() const override { return layout_; }
  const ParameterLayout& parameter_layout() const override { return parameter_layout_; }
  std::span<const Real> parameters() const override { return theta_; }
  void update_parameters(FunctionRef<void(std::span<Real>)> write) override { write(theta_); }
  void energy(ConstChainView x, std::span<double> out) const override;
  void add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override;
  const StateGradient* state_gradient() const override { return this; }

 private:
  void evaluate(ConstChainView x, std::span<const MatrixRef> out) const override;

  Layout layout_;
  ParameterLayout parameter_layout_;
  std::vector<Real> theta_;
};

/// The law of a double well: x by quadrature, y given x normal. Cells: eighths of each.
LawMaker double_well_law(const DoubleWell& model, const DoubleWell* base = nullptr);

}  // namespace harmonium::testing
