#include <harmonium/framework/inference/local_averages.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <harmonium/framework/diagnostics/chain_jackknife.hpp>
#include <harmonium/framework/inference/layer_sums.hpp>
#include <harmonium/framework/inference/local_means.hpp>
#include <harmonium/framework/inference/replica_squares.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index numbers_of_unit_piece = 64;

/// The averages of single numbers, by their blocks.
class LocalFinder {
 public:
  explicit LocalFinder(const LocalSums& sums) : sums_(sums), blocks_(sums.of_blocks()) {}

  /// f of the means of some numbers.
  LocalAverage function(std::span<const Index> numbers, FunctionRef<double(std::span<const double>)> f) const {
    std::vector<double> own;
    for (const Index k : numbers)
      for (Index g = 0; g < blocks_.rows; ++g) own.push_back(blocks_(g, k));
    const Series series{own.data(), numbers.size(), blocks_.rows, blocks_.rows};
    const NumberWithError found = ChainJackknife(series, sums_.num_chains(), sums_.num_steps()).estimate(f);
    return {found.value, beyond_rounding(found.error, std::abs(found.value))};
  }
  LocalAverage mean(Index number) const {
    LocalAverage a = function({&number, 1}, [](std::span<const double> m) { return m[0]; });
    a.long_enough = !chains_differ(number);
    return a;
  }
  /// Of a pair of units, whose product is `number`.
  LocalAverage connected(const LocalObservables::Pair& pair, Index number) const {
    const Index width = sums_.what().numbers_of_unit();
    std::vector<Index> numbers{number};
    for (const Index unit : {pair.first, pair.second})
      for (Index a = 0; a < width; ++a) numbers.push_back(unit * width + a);
    return function(numbers, [&](std::span<const double> m) {
      const double* const one = m.data() + 1;
      return m[0] - std::inner_product(one, one + width, one + width, 0.0);
    });
  }

 private:
  /// The variance of a number of two values; of others it is not known.
  double variance_of(double mean) const {
    switch (sums_.what().layer().kind()) {
      case LayerObservables::Kind::spins: return 1.0 - mean * mean;
      case LayerObservables::Kind::sites: return mean * (1.0 - mean);
      case LayerObservables::Kind::numbers: break;
    }
    return std::numeric_limits<double>::infinity();
  }
  /// R-hat² = 1 + (variance of the chains' means)/(variance within chains), of long chains (Gelman & Rubin 1992).
  bool chains_differ(Index number) const {
    const Index chains = sums_.num_chains(), blocks = sums_.blocks_per_chain();
    std::vector<double> means(chains, 0.0);
    for (Index g = 0; g < blocks_.rows; ++g) means[g / blocks] += blocks_(g, number);
    for (double& m : means) m /= static_cast<double>(sums_.num_steps());
    const double mean = std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(chains);
    double between = 0.0, within = 0.0;
    for (const double m : means) {
      between += (m - mean) * (m - mean) / static_cast<double>(chains - 1);
      within += variance_of(m) / static_cast<double>(chains);
    }
    return between > (most_r_hat_of_averages * most_r_hat_of_averages - 1.0) * within;
  }

  const LocalSums& sums_;
  Series blocks_;
};

bool all_believed(const std::vector<LocalAverage>& averages) {
  return std::ranges::all_of(averages, &LocalAverage::long_enough);
}

/// Those of the two units of a pair.
bool units_believed(const LocalObservables& what, Index pair, std::span<const LocalAverage> units) {
  const Index width = what.numbers_of_unit();
  const auto [i, j] = what.pairs()[pair];
  return std::ranges::all_of(units.subspan(i * width, width), &LocalAverage::long_enough) &&
         std::ranges::all_of(units.subspan(j * width, width), &LocalAverage::long_enough);
}

LocalAverages room_for(const LocalObservables& what) {
  LocalAverages found;
  found.units.resize(what.num_of_units());
  found.pairs.resize(what.pairs().size());
  found.connected.resize(what.pairs().size());
  found.frequencies.resize(what.num_of_frequencies());
  return found;
}

/// The places of the pairs that couple, among all numbers.
std::vector<Index> places_of_coupled(const LocalObservables& what) {
  std::vector<Index> places;
  for (Index p = 0; p < what.pairs().size(); ++p)
    if (what.coupled().empty() || what.coupled()[p]) places.push_back(what.num_of_units() + p);
  return places;
}

std::vector<Index> places_of_units(const LocalObservables& what) {
  std::vector<Index> places(what.num_of_units());
  std::iota(places.begin(), places.end(), Index{0});
  return places;
}

ThermalAverage without_series(const char* name, NumberWithError found) {
  ThermalAverage a{name, found.value, found.error};
  a.time = a.r_hat = std::numeric_limits<double>::quiet_NaN();
  return a;
}

constexpr const char *edwards_anderson = "edwards_anderson", *link_overlap = "link_overlap";

/// Those of a law under which the numbers of LocalObservables have these means.
LocalAverages averages_by_means(const LocalObservables& what, const std::vector<double>& means) {
  LocalAverages found = room_for(what);
  const Index units = what.num_of_units(), width = what.numbers_of_unit();
  for (Index k = 0; k < units; ++k) found.units[k].value = means[k];
  for (Index p = 0; p < found.pairs.size(); ++p) {
    const auto [i, j] = what.pairs()[p];
    double apart = 0.0, size = std::abs(means[units + p]);
    for (Index a = 0; a < width; ++a) {
      const double product = means[i * width + a] * means[j * width + a];
      apart += product;
      size += std::abs(product);
    }
    found.pairs[p].value = means[units + p];
    found.connected[p].value = beyond_rounding(means[units + p] - apart, size);
  }
  for (Index k = 0; k < found.frequencies.size(); ++k) found.frequencies[k].value = means[what.first_frequency() + k];
  const auto squares = [&](const std::vector<Index>& places, double count) {
    double sum = 0.0;
    for (const Index k : places) sum += means[k] * means[k];
    return NumberWithError{sum / count, 0.0};
  };
  const auto n = static_cast<double>(what.layer().num_units());
  found.squares.push_back(without_series(edwards_anderson, squares(places_of_units(what), n)));
  if (const std::vector<Index> coupled = places_of_coupled(what); !coupled.empty())
    found.squares.push_back(without_series(link_overlap, squares(coupled, static_cast<double>(coupled.size()))));
  return found;
}

}  // namespace

LocalAverages local_averages_of(const LocalSums& sums, const ThermalAverages& others, const Executor& executor) {
  const LocalObservables& what = sums.what();
  const LocalFinder finder(sums);
  LocalAverages found = room_for(what);
  const Index units = what.num_of_units();
  executor.for_each_piece(units, numbers_of_unit_piece, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) found.units[k] = finder.mean(k);
  });
  executor.for_each_piece(found.pairs.size(), numbers_of_unit_piece, [&](Index begin, Index end) {
    for (Index p = begin; p < end; ++p) {
      found.pairs[p] = finder.mean(units + p);
      found.connected[p] = finder.connected(what.pairs()[p], units + p);
      found.connected[p].long_enough = found.pairs[p].long_enough && units_believed(what, p, found.units);
    }
  });
  executor.for_each_piece(found.frequencies.size(), numbers_of_unit_piece, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) found.frequencies[k] = finder.mean(what.first_frequency() + k);
  });
  const auto n = static_cast<double>(what.layer().num_units());
  found.squares.push_back(without_series(edwards_anderson, replica_squares(sums, places_of_units(what), n)));
  if (const std::vector<Index> coupled = places_of_coupled(what); !coupled.empty())
    found.squares.push_back(
        without_series(link_overlap, replica_squares(sums, coupled, static_cast<double>(coupled.size()))));
  // What is odd in the temperature's averages are the means of units, and what is made of them.
  const bool all = std::ranges::all_of(others.averages, &ThermalAverage::long_enough);
  const bool even =
      std::ranges::all_of(others.averages, [](const ThermalAverage& a) { return a.odd || a.long_enough; });
  for (ThermalAverage& a : found.squares)
    a.long_enough = a.name == link_overlap ? even && all_believed(found.pairs) : all && all_believed(found.units);
  for (auto* averages : {&found.units, &found.connected, &found.frequencies})
    for (LocalAverage& a : *averages) a.long_enough &= all;
  for (LocalAverage& a : found.pairs) a.long_enough &= even;
  return found;
}

LocalAverages exact_local_averages(const Layout& layout, const LocalObservables& what, const JointStates& states,
                                   const std::vector<double>& probabilities, const Executor& executor) {
  return averages_by_means(what, local_means(layout, what, states, probabilities, executor));
}

LocalAverages normal_local_averages(const LocalObservables& what, const NormalMoments::At& moments) {
  std::vector<double> means = moments.means;
  for (const auto& [i, j] : what.pairs()) means.push_back(moments.product(i, j));
  return averages_by_means(what, means);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
