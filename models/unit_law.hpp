#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/model/unit_type.hpp>

/// Internal to this folder.
namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The law of one unit given its field: its mean m and covariance C, and what follows from moving its field.
class UnitLaw {
 public:
  explicit UnitLaw(const UnitType& type)
      : states_(type.num_states()),
        width_(type.width()),
        values_(states_ * width_),
        p_(states_),
        mean_(width_),
        covariance_(width_ * width_) {
    std::vector<Real> values(states_ * width_);
    if (states_ > 0) type.states({values.data(), states_, width_, width_});
    values_.assign(values.begin(), values.end());
  }
  Index width() const { return width_; }
  double mean(Index c) const { return mean_[c]; }
  double covariance(Index c, Index d) const { return covariance_[c * width_ + d]; }

  /// Field and precision (zeros for units that have none), `width` each.
  void set(const double* field, const double* gamma) {
    if (states_ == 0) {  // Gaussian
      mean_[0] = field[0] / gamma[0];
      covariance_[0] = 1.0 / gamma[0];
      return;
    }
    for (Index s = 0; s < states_; ++s) {
      p_[s] = 0.0;
      for (Index c = 0; c < width_; ++c) p_[s] += field[c] * value(s, c) - 0.5 * gamma[c] * value(s, c) * value(s, c);
    }
    const double total = logsumexp(p_);
    for (double& p : p_) p = std::exp(p - total);
    std::ranges::fill(mean_, 0.0);
    std::ranges::fill(covariance_, 0.0);
    for (Index s = 0; s < states_; ++s)
      for (Index c = 0; c < width_; ++c) mean_[c] += p_[s] * value(s, c);
    for (Index s = 0; s < states_; ++s)
      for (Index c = 0; c < width_; ++c)
        for (Index d = 0; d < width_; ++d)
          covariance_[c * width_ + d] += p_[s] * (value(s, c) - mean_[c]) * (value(s, d) - mean_[d]);
  }
  /// tr(C G)
  double trace(const double* gram) const {
    double sum = 0.0;
    for (Index i = 0; i < covariance_.size(); ++i) sum += covariance_[i] * gram[i];
    return sum;
  }
  /// Of J = uᵀm + w tr(C G): slope[c] = ∂J/∂f_c, and curvature[c] with ∂J/∂ log γ_c = −½ γ_c curvature[c].
  void derivatives(const double* u, double w, const double* gram, const double* gamma, double* slope,
                   double* curvature) const {
    if (states_ == 0) {  // m = f/γ, C = 1/γ
      slope[0] = u[0] * covariance_[0];
      curvature[0] = 2.0 * (u[0] * mean_[0] + w * gram[0] * covariance_[0]) / gamma[0];
      return;
    }
    // By the log weight of each state: ∂J/∂z_s = p_s [uᵀ(s − m) + w ((s − m)ᵀG(s − m) − tr(C G))].
    const double mean_form = trace(gram);
    std::fill_n(slope, width_, 0.0);
    std::fill_n(curvature, width_, 0.0);
    for (Index s = 0; s < states_; ++s) {
      double along = 0.0, form = 0.0;
      for (Index c = 0; c < width_; ++c) {
        along += u[c] * (value(s, c) - mean_[c]);
        for (Index d = 0; d < width_; ++d)
          form += (value(s, c) - mean_[c]) * gram[c * width_ + d] * (value(s, d) - mean_[d]);
      }
      const double by_weight = p_[s] * (along + w * (form - mean_form));
      for (Index c = 0; c < width_; ++c) {
        slope[c] += by_weight * value(s, c);
        curvature[c] += by_weight * value(s, c) * value(s, c);
      }
    }
  }

 private:
  double value(Index state, Index column) const { return values_[state * width_ + column]; }

  Index states_, width_;
  std::vector<double> values_, p_, mean_, covariance_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
