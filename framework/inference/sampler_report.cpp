#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

double log_binomial_tail(double share, double count, double log_p) {
  // −n KL(share || p); x log x is 0 at 0.
  const double log_rest = std::log(-std::expm1(log_p));
  double divergence = 0.0;
  if (share > 0.0) divergence += share * (std::log(share) - log_p);
  if (share < 1.0) divergence += (1.0 - share) * (std::log1p(-share) - log_rest);
  return -count * divergence;
}

void SamplerReport::add(const SamplerReport& later) {
  const auto before = static_cast<double>(proposed), after = static_cast<double>(later.proposed);
  if (before + after > 0.0) acceptance = (acceptance * before + later.acceptance * after) / (before + after);
  else acceptance = later.acceptance;
  proposed += later.proposed;
  if (later.proposed > 0) min_acceptance = later.min_acceptance;
  if (!later.ladder) return;
  if (!ladder) ladder.emplace();
  ladder->add(*later.ladder);
}

bool SamplerReport::ill_chosen() const {
  if (proposed == 0 || !(acceptance < min_acceptance)) return false;
  return log_binomial_tail(acceptance, static_cast<double>(proposed), std::log(min_acceptance)) <= std::log(1e-9);
}

std::string SamplerReport::summary() const { return fmt::format("acceptance {:.2g}", acceptance); }

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
