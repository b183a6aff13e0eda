#include <harmonium/samplers/cluster_plan.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// How many of the 2³² words make a bond between two units whose J is `coupling` or less.
std::uint32_t bond_threshold(double coupling) {
  const double probability = -std::expm1(-2.0 * std::abs(coupling));
  if (!(probability > 0.0)) return 0;
  return static_cast<std::uint32_t>(std::min(probability * 0x1p32, 0x1p32 - 1.0));
}

std::vector<std::uint32_t> bond_thresholds(const PairBonds& part, double factor) {
  std::vector<std::uint32_t> thresholds;
  thresholds.reserve(part.bonds.size());
  double last = 0.0;  // a lattice has one coupling for all of its bonds, or a few
  std::uint32_t of_last = 0;
  for (const PairBonds::Bond& bond : part.bonds) {
    if (bond.coupling != last) of_last = bond_threshold(factor * (last = bond.coupling));
    thresholds.push_back(of_last);
  }
  return thresholds;
}

}  // namespace

ClusterPlan::ClusterPlan(const Target& of, ClusterFields by, RandomSource words)
    : target(of), fields(by), random(words), units(of.model.layout()) {
  parts.emplace_back(of.model, units);
  if (of.base && !of.untempered()) parts.emplace_back(*of.base, units);
  const std::vector<double> betas =
      of.ladder.empty() ? std::vector<double>{of.beta} : std::vector<double>(of.ladder.begin(), of.ladder.end());
  for (const double beta : betas) {
    AtBeta at;
    at.single.assign(units.first_state.back(), 0.0);
    for (Index p = 0; p < parts.size(); ++p) {
      const double factor = p == 0 ? beta : 1.0 - beta;
      at.factors.push_back(factor);
      for (Index s = 0; s < at.single.size(); ++s) at.single[s] += factor * parts[p].single[s];
      at.thresholds.push_back(bond_thresholds(parts[p], factor));
    }
    rungs.push_back(std::move(at));
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
