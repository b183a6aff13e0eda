#pragma once

#include <span>

#include <harmonium/models/layered.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// How the energy of Gaussian units x_j of deviation σ_j, coupled with units h_i, is written elsewhere:
///   standard_deviation  Σ (x_j − b_j)²/2σ_j² − Σ h_i W_ij x_j/σ_j    (Hinton & Salakhutdinov 2006)
///   variance            Σ (x_j − b_j)²/2σ_j² − Σ h_i W_ij x_j/σ_j²   (Cho, Ilin & Raiko 2011)
/// This library writes ½ Σ γ_j x_j² − Σ g_j x_j − Σ h_i W_ij x_j: γ = 1/σ², g = b/σ², and W divided by σ or by σ². Its
/// energy is lower by Σ b_j²/2σ_j², so its log Z is higher by that; probabilities are the same.
enum class GaussianConvention : std::uint8_t { standard_deviation, variance };

/// A Gaussian–binary RBM as others write it.
struct GaussianRbm {
  std::vector<double> visible_bias;  ///< b, in units of the data
  std::vector<double> sigma;         ///< deviations, > 0
  std::vector<double> weight;        ///< visible × hidden, row-major
  std::vector<double> hidden_bias;   ///< c
};

/// Sets the parameters of an RBM with Gaussian visible units to the same law. Returns what its log Z exceeds the other's
/// by, Σ b²/2σ². Throws ConfigError where sizes differ or a deviation is not positive.
double set_from(LayeredModel& rbm, const GaussianRbm& other, GaussianConvention convention);
/// The same law as others write it.
GaussianRbm written_as(const LayeredModel& rbm, GaussianConvention convention);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
