#include <harmonium/framework/inference/fitted_beta.hpp>

#include <cmath>

#include <boost/math/tools/minima.hpp>

#include <harmonium/framework/inference/pseudo_likelihood.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::optional<double> fitted_beta(const EnergyModel& model, const Chains& rows, const Execution& execution) {
  constexpr Index units_a_row = 20;
  constexpr int bits = 20;  // of log β; the function itself has half of a double's
  if (!offers_pseudo_likelihood(model)) return {};
  const double end = std::log(20.0);
  // The same units at each β, so that the function is smooth.
  const auto loss = [&](double log_beta) {
    return -pseudo_log_likelihood(model, rows, std::exp(log_beta), units_a_row, execution);
  };
  const double at = boost::math::tools::brent_find_minima(loss, -end, end, bits).first;
  if (std::abs(at) > 0.99 * end) return {};
  return std::exp(at);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
