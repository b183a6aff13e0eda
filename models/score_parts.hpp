#pragma once

#include <vector>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/model/exact_rows.hpp>
#include <harmonium/framework/model/per_layer.hpp>

/// Internal to this folder.
namespace harmonium {
inline namespace HARMONIUM_ABI {

class LayeredModel;

/// What the score needs of a layer that is summed out.
struct SummedLayer {
  LayerId layer;
  Index columns;
  std::vector<double> gamma, gram;
  PerLayer<Matrix<double>> couplings;  ///< with each kept layer, columns × its columns; empty where there are none
};
std::vector<SummedLayer> summed_layers(const LayeredModel& model, LayerSet kept);

/// The gradient of Σ_r weights[r] (v_rᵀψ_r + w Σ_j ∂ψ_j/∂x_j) by θ. With g_i = ∂(vᵀψ + w Σ ∂ψ/∂x)/∂f_i, it is that of −E along
/// (v, g) at (x, m), a bilinear form and thus half the difference of −∂E/∂θ at (x + v, m + g) and (x − v, m − g); and 2 w W_i
/// C_i for the couplings W_i themselves.
class ScoreGradient {
 public:
  ScoreGradient(const LayeredModel& model, LayerSet kept, ConstChainView x, std::span<const ConstMatrixRef> directions,
                std::span<const double> weights, double divergence_weight, const Executor& executor);
  void add(std::span<Real> gradient);

 private:
  void set_kept(LayerId layer);
  /// Both rows of means of a summed layer; returns Σ_r weights[r] C_i, a matrix a unit.
  std::vector<double> set_summed(const SummedLayer& n);
  void set_piece(const SummedLayer& n, Index begin, Index end, std::vector<double>& covariance);
  /// Σ W v of the directions of some rows: by how much they move the fields.
  Matrix<double> along(const SummedLayer& n, Index begin, Index end) const;
  /// 2 w W_i C_i
  void add_couplings(const SummedLayer& n, const std::vector<double>& covariance, std::span<Real> gradient) const;
  /// −Σγ of the divergence.
  void add_precisions(std::span<Real> gradient) const;

  const LayeredModel& model_;
  LayerSet kept_;
  ConstChainView x_;
  std::span<const ConstMatrixRef> directions_;
  std::span<const double> weights_;
  double divergence_weight_;
  const Executor& executor_;
  PerLayer<std::vector<Real>> means_, seconds_;  ///< of two rows for each row of x
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
