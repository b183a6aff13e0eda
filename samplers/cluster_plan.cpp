#include <harmonium/samplers/cluster_plan.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
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

std::vector<std::uint32_t> bond_thresholds(const std::vector<double>& couplings, double factor) {
  std::vector<std::uint32_t> thresholds;
  thresholds.reserve(couplings.size());
  double last = 0.0;  // a lattice has one coupling for all of its bonds, or a few
  std::uint32_t of_last = 0;
  for (const double coupling : couplings) {
    if (coupling != last) of_last = bond_threshold(factor * (last = coupling));
    thresholds.push_back(of_last);
  }
  return thresholds;
}

std::vector<double> couplings_of(const PairBonds& part) {
  std::vector<double> couplings;
  for (const PairBonds::Bond& bond : part.bonds) couplings.push_back(bond.coupling);
  return couplings;
}

std::vector<double> halves_of(std::vector<double> numbers) {
  for (double& v : numbers) v *= 0.5;
  return numbers;
}

/// The w of tables w δ(a, b) + c of q states; nothing where one is another, or w is below 0.
std::optional<std::vector<double>> strengths_of_alike(const PairBonds& part, Index q) {
  std::vector<double> all;
  for (const PairBonds::Table& pair : part.pairs) {
    const double* const t = &part.tables[pair.at];
    for (Index i = 0; i < q * q; ++i)
      if (t[i] != (i % (q + 1) == 0 ? t[0] : t[1])) return {};
    all.push_back(pair.scale * (t[0] - t[1]));
    if (!(all.back() >= 0.0)) return {};
  }
  return all;
}

}  // namespace

ClusterPlan::ClusterPlan(const Target& of, ClusterFields by, RandomSource words)
    : target(of), fields(by), random(words), units(of.model.layout()) {
  parts.emplace_back(of.model, units);
  if (of.base && !of.untempered()) parts.emplace_back(*of.base, units);
  const std::vector<double> betas =
      of.ladder.empty() ? std::vector<double>{of.beta} : std::vector<double>(of.ladder.begin(), of.ladder.end());
  const bool between =
      std::ranges::all_of(betas, [&](double beta) { return beta >= 0.0 && (beta <= 1.0 || parts.size() == 1); });
  if (between && by == ClusterFields::sum && units.any_of_several() && of.model.layout().size() == 1)
    for (const PairBonds& part : parts)
      if (auto strengths = strengths_of_alike(part, units.most_states)) alike.push_back(std::move(*strengths));
  if (alike.size() < parts.size()) alike.clear();
  std::vector<std::vector<double>> couplings;  // as of spins: two that agree have 2J more than two that do not
  for (Index p = 0; p < parts.size(); ++p)
    couplings.push_back(recolors() ? halves_of(alike[p]) : couplings_of(parts[p]));
  for (const double beta : betas) {
    AtBeta at;
    at.single.assign(units.first_state.back(), 0.0);
    for (Index p = 0; p < parts.size(); ++p) {
      const double factor = p == 0 ? beta : 1.0 - beta;
      at.factors.push_back(factor);
      for (Index s = 0; s < at.single.size(); ++s) at.single[s] += factor * parts[p].single[s];
      at.thresholds.push_back(bond_thresholds(couplings[p], factor));
    }
    rungs.push_back(std::move(at));
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
