#include <harmonium/framework/inference/thermal_averages.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <harmonium/framework/inference/average_finder.hpp>
#include <harmonium/framework/inference/steady_values.hpp>
#include <harmonium/framework/inference/thermal_doubts.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index most_overlap_bins = 101;
constexpr double fewest_events = 25.0;  // of fewer a share and its error are small together, by chance

using Values = AverageFinder::Values;

void add_magnetization(const AverageFinder& finder, const Values& m, double beta, double n,
                       std::vector<ThermalAverage>& out, const std::string& prefix = "") {
  const Values sizes = of_each(m, [](double v) { return std::abs(v); });
  const Values squares = of_each(m, [](double v) { return v * v; });
  out.push_back(finder.mean(prefix + "magnetization", m));
  out.push_back(finder.mean(prefix + "abs_magnetization", sizes));
  out.push_back(finder.mean(prefix + "squared_magnetization", squares));
  out.push_back(finder.fluctuation(prefix + "susceptibility", m, beta * n));
  out.push_back(finder.fluctuation(prefix + "abs_susceptibility", sizes, beta * n));
  out.push_back(finder.cumulant(prefix + "binder_cumulant", squares, 1.0));
}

/// The share of the sites in the state that most of them are in, from 0 (all states alike) to 1, and how it fluctuates.
void add_potts_order(const AverageFinder& finder, std::span<const Values> shares, double beta, double n,
                     std::vector<ThermalAverage>& out) {
  const Values order = potts_order(shares);
  const SteadyValues steady(order);
  out.push_back(finder.mean("potts_order", steady.get()));
  out.push_back(finder.fluctuation("potts_susceptibility", steady.get(), beta * n));
}

/// Values of q that can be told apart share a bin of as many of them as it takes, an odd number, and what does not fill a bin is shared by
/// the first and the last, so that bins lie as far from the middle on either side; of numbers, equal parts of their range.
std::vector<OverlapShare> overlap_bins(const Values& overlaps, const LayerObservables& what) {
  const auto [low, high] = std::ranges::minmax(overlaps);
  std::vector<OverlapShare> bins;
  if (what.kind() == LayerObservables::Kind::numbers) {
    const Index count = high > low ? 50 : 1;
    const double width = (high - low) / static_cast<double>(count);
    for (Index b = 0; b < count; ++b)
      bins.push_back({low + width * static_cast<double>(b), low + width * static_cast<double>(b + 1), 0.0, 0.0, width});
    return bins;
  }
  const double first = what.kind() == LayerObservables::Kind::spins ? -1.0 : 0.0;
  const Index n = what.num_units(), together = (n / most_overlap_bins + 1) | 1u;
  const double step = (1.0 - first) / static_cast<double>(n);
  const Index rest = (n + 1) % together, at_end = (rest % 2 == 0 ? rest : rest + together) / 2;
  const auto value = [&](Index v) { return first + step * static_cast<double>(v); };
  Index count = at_end > 0 ? at_end : together;
  for (Index v = 0; v <= n; v += count, count = std::min(together, n + 1 - v))
    bins.push_back({value(v), value(v + count - 1), 0.0, 0.0, step * static_cast<double>(count)});
  return bins;
}

std::vector<OverlapShare> overlap_shares(const AverageFinder& pairs, const Values& overlaps,
                                         const LayerObservables& what) {
  std::vector<OverlapShare> bins = overlap_bins(overlaps, what);
  // Halfway to the next bin, so that rounding puts no value elsewhere.
  std::vector<double> upto;
  for (Index b = 0; b + 1 < bins.size(); ++b) upto.push_back(0.5 * (bins[b].high + bins[b + 1].low));
  std::vector<Index> place(overlaps.size());
  std::ranges::transform(overlaps, place.begin(), [&](double q) {
    return static_cast<Index>(std::ranges::upper_bound(upto, q) - upto.begin());
  });
  std::vector<std::uint8_t> met(bins.size(), 0);
  for (const Index b : place) met[b] = 1;
  Values inside(overlaps.size());
  for (Index b = 0; b < bins.size(); ++b) {
    if (!met[b]) {  // as many zeros tell no spread
      bins[b].error = std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    std::ranges::transform(place, inside.begin(), [&](Index p) { return p == b ? 1.0 : 0.0; });
    const ThermalAverage share = pairs.mean("", inside);
    bins[b].share = share.value;
    bins[b].error = share.error;
    const double events = share.value * static_cast<double>(overlaps.size()) / std::max(share.time, 1.0);
    bins[b].long_enough = share.long_enough && events >= fewest_events;
  }
  return bins;
}

/// Chains that stood still have errors of 0, and say nothing of the states that they did not meet. Those of one energy that do move
/// are in a level of many states, such as a ground state; elsewhere chains would differ.
void doubt_frozen(double beta, const Values& energy, const Values& order, ThermalAverages& found) {
  if (beta == 0.0 || !is_constant(energy) || !is_constant(order)) return;
  doubt(Doubted::all, found);
}

/// Pairs of chains that keep to places of their own may all have one overlap. Those across them then have another. `overlaps`: of all
/// pairs q, or |q|, of which `mean` is an average.
void doubt_pairs_apart(const ThermalSeries& series, const Values& overlaps, ThermalAverage& mean) {
  if (is_constant(overlaps)) return;
  const double r_hat = rank_normalized_r_hat(
      {overlaps.data(), series.num_pairs() + series.crossed_pairs(), series.num_steps, series.num_steps});
  mean.r_hat = std::max(mean.r_hat, r_hat);
  mean.long_enough &= r_hat <= most_r_hat_of_averages;
}

/// Overlaps of pairs of chains: `overlaps` those that averages are of, `all_overlaps` with pairs across. The order is in `out`.
void add_overlaps(const AverageFinder& pairs, const ThermalSeries& series, const LayerObservables& what,
                  const Values& all_overlaps, const Values& overlaps, std::vector<ThermalAverage>& out) {
  const Values sizes = of_each(overlaps, [](double q) { return std::abs(q); });
  const Values squares = of_each(overlaps, [](double q) { return q * q; });
  // Which of two modes a pair of chains is in decides the sign of q, and few pairs may agree by chance: m tells, and pairs across.
  ThermalAverage& overlap = out.emplace_back(pairs.mean("overlap", overlaps));
  doubt_pairs_apart(series, all_overlaps, overlap);
  const bool sites = what.kind() == LayerObservables::Kind::sites;
  for (const ThermalAverage& order : out)
    if (sites || order.name == what.names().front()) overlap.long_enough &= order.long_enough;
  const bool pairs_agree = !sites || overlap.long_enough;  // q of sites is not negative, and |q| is q
  const Values all_sizes = of_each(all_overlaps, [](double q) { return std::abs(q); });
  for (const auto& [name, values] : {std::pair("abs_overlap", &sizes), std::pair("squared_overlap", &squares)}) {
    out.emplace_back(pairs.mean(name, *values)).long_enough &= pairs_agree;
    doubt_pairs_apart(series, all_sizes, out.back());
  }
  if (what.kind() == LayerObservables::Kind::spins) {
    out.push_back(in_unit(out.back(), "spin_glass_susceptibility", static_cast<double>(what.num_units())));
    out.push_back(pairs.cumulant("overlap_binder", squares, 1.5));
  }
}

/// All others are the same after a flip. Of spins one of −1 in one of two replicas changes the sign of q alone, of sites all of q.
void tell_odd(const LayerObservables& what, ThermalAverages& found) {
  const std::string_view of_spins[] = {
      "magnetization", "mean", "susceptibility", "staggered_magnetization", "staggered_susceptibility", "overlap"};
  const bool sites = what.kind() == LayerObservables::Kind::sites;
  for (ThermalAverage& a : found.averages)
    a.odd =
        sites ? a.name.starts_with("share_") || a.name.ends_with("overlap") : std::ranges::count(of_spins, a.name) > 0;
}

/// ξ by S(0) = n (⟨m²⟩ − ⟨m⟩²), by values about their mean, so that nothing cancels, and S(k): dξ ∝ dS(0) − (S(0)/S(k)) dS(k). Where a
/// flip of all units leaves the law as it is, ⟨m⟩ is 0 whatever chains say of it.
void add_correlation_length(const AverageFinder& finder, const Values& m, const Values& at_least,
                            const LayerObservables& what, FlipSymmetry symmetry, std::vector<ThermalAverage>& out,
                            const std::string& prefix = "") {
  const auto n = static_cast<double>(what.num_units());
  const double mean = symmetry == FlipSymmetry::exact ? 0.0 : finder.mean("", m).value;
  const Values off = of_each(m, [&](double v) { return v - mean; });
  const Values at_zero = of_each(off, [&](double v) { return n * v * v; });
  const auto length = [&](std::span<const double> s) {
    const double of_mean = symmetry == FlipSymmetry::exact ? 0.0 : n * s[2] * s[2];
    return correlation_length(s[0] - of_mean, s[1], *what.least_wave_number());
  };
  out.push_back(finder.mean(prefix + "structure_factor", at_least));
  const double zero = std::accumulate(at_zero.begin(), at_zero.end(), 0.0);
  const double ratio = zero / std::accumulate(at_least.begin(), at_least.end(), 0.0);
  Values linear = at_zero;
  for (Index i = 0; std::isfinite(ratio) && i < linear.size(); ++i) linear[i] -= ratio * at_least[i];
  out.push_back(finder.function(prefix + "correlation_length", {&at_zero, &at_least, &off}, length, linear));
  ThermalAverage& found = out.back();
  // By the formula above S(0)/S(k) − 1 has 2 dξ/ξ of itself for an error: within two of these of 0 the peak is noise.
  const bool noise = found.long_enough && found.value < 4.0 * found.error;
  if (std::isfinite(found.value) && std::isfinite(found.error) && !noise) return;
  found.value = found.error = std::numeric_limits<double>::quiet_NaN();
  found.long_enough = true;  // there is none to be believed
}

/// Chains that differ have a time that is longer than they are.
void forget_times_apart(ThermalAverages& found) {
  for (auto* averages : {&found.averages, &found.correlations})
    for (ThermalAverage& a : *averages)
      if (!(a.r_hat <= most_r_hat_of_averages)) a.windowed_time.reset();
}

/// The first of the overlaps: those of pairs, which averages are of.
Values of_pairs(const ThermalSeries& series, const Values& overlaps) {
  return {overlaps.begin(), overlaps.begin() + static_cast<std::ptrdiff_t>(series.num_pairs() * series.num_steps)};
}

/// What a flip leaves of the overlaps of pairs: of sites, whose q it changes, a witness of valleys that no flip joins is added.
Values add_witness(const AverageFinder& pairs, const ThermalSeries& series, const Values& overlaps,
                   FlipSymmetry symmetry, ThermalAverages& found) {
  if (symmetry == FlipSymmetry::none || series.joint_overlaps.empty())
    return of_each(overlaps, [](double q) { return std::abs(q); });
  const SteadyValues steady(series.joint_overlaps);
  Values joint = of_pairs(series, steady.get());
  found.witnesses.push_back(pairs.mean("joint_overlap", joint));
  doubt_pairs_apart(series, steady.get(), found.witnesses.back());
  return joint;
}

}  // namespace

double correlation_length(double at_zero, double at_least, double wave_number) {
  // Of spins that are all alike sums of cosines leave what rounding does.
  if (!(at_least > 1e-24 * at_zero && at_zero >= at_least)) return std::numeric_limits<double>::quiet_NaN();
  return std::sqrt(at_zero / at_least - 1.0) / (2.0 * std::sin(0.5 * wave_number));
}

std::vector<double> potts_order(std::span<const std::vector<double>> shares) {
  const auto states = static_cast<double>(shares.size());
  std::vector<double> order = shares[0];
  for (const std::vector<double>& share : shares)
    for (Index i = 0; i < order.size(); ++i) order[i] = std::max(order[i], share[i]);
  for (double& m : order) m = (states * m - 1.0) / (states - 1.0);
  return order;
}

ThermalAverages averages_of(const ThermalSeries& series, const LayerObservables& what, Index units_of_all,
                            FlipSymmetry symmetry) {
  const AverageFinder chains(series.num_chains, series.num_steps), pairs(series.num_pairs(), series.num_steps);
  const auto all = static_cast<double>(units_of_all);
  ThermalAverages found{series.beta, {}, {}};
  const SteadyValues steady(series.numbers[0]);
  const Values& energy = steady.get();
  found.averages.push_back(chains.mean("energy", energy));
  found.averages.push_back(in_unit(found.averages[0], "energy_per_unit", 1.0 / all));
  found.averages.push_back(chains.fluctuation("specific_heat", energy, series.beta * series.beta / all));
  const Index num_own = what.num_of_layer();
  for (Index k = 0; k < num_own; ++k) {
    const SteadyValues own(series.numbers[k + 1]);
    const Values& x = own.get();
    if (what.names()[k] == "magnetization")
      add_magnetization(chains, x, series.beta, static_cast<double>(what.num_units()), found.averages);
    else found.averages.push_back(chains.mean(what.names()[k], x));
  }
  if (what.kind() == LayerObservables::Kind::sites)
    add_potts_order(chains, std::span(series.numbers).subspan(1, num_own), series.beta,
                    static_cast<double>(what.num_units()), found.averages);
  const SteadyValues steady_overlaps(series.overlaps);
  const Values& all_overlaps = steady_overlaps.get();
  const Values overlaps = of_pairs(series, all_overlaps);
  add_overlaps(pairs, series, what, all_overlaps, overlaps, found.averages);
  if (what.num_pairs() > 0)
    found.averages.push_back(chains.mean(what.pair_name(), SteadyValues(series.numbers[num_own + 1]).get()));
  if (what.least_wave_number())
    add_correlation_length(chains, SteadyValues(series.numbers[1]).get(),
                           SteadyValues(series.numbers[what.place_of_structure_factor() + 1]).get(), what, symmetry,
                           found.averages);
  if (what.is_staggered())
    add_magnetization(chains, SteadyValues(series.numbers[what.place_of_staggered() + 1]).get(), series.beta,
                      static_cast<double>(what.num_units()), found.averages, "staggered_");
  if (what.has_staggered_structure_factor())
    add_correlation_length(chains, SteadyValues(series.numbers[what.place_of_staggered() + 1]).get(),
                           SteadyValues(series.numbers[what.place_of_staggered_structure_factor() + 1]).get(), what,
                           symmetry, found.averages, "staggered_");
  for (Index k = what.names().size() - what.distances().size(); k < what.names().size(); ++k)
    found.correlations.push_back(chains.mean(what.names()[k], SteadyValues(series.numbers[k + 1]).get()));
  found.overlaps = overlap_shares(pairs, overlaps, what);
  if (symmetry == FlipSymmetry::exact) tell_odd(what, found);
  const Values unflipped = add_witness(pairs, series, overlaps, symmetry, found);
  forget_times_apart(found);
  doubt_where_apart(found);
  // Chains may turn over whole: the size of their order stays.
  doubt_frozen(series.beta, energy, unflipped, found);
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
