#include <harmonium/program/work/observed_local.hpp>

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/work/observed_figures.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index most_units_of_all_pairs = 2000;  // two million pairs

constexpr double most_frequencies = 4e6;  // lines of their table

LocalObservables::Frequencies frequencies_of(const ObserveRequest& request, const LocalObservables& pairs,
                                             const std::string& layer, Index temperatures) {
  if (!request.frequencies) return LocalObservables::Frequencies::none;
  if (pairs.layer().kind() != LayerObservables::Kind::sites)
    throw ConfigError(fmt::format(
        "--frequencies: they are of the states of categorical units, and those of layer '{}' are {}, of which "
        "units.csv and pairs.csv have the means. Leave it out.",
        layer, pairs.layer().kind() == LayerObservables::Kind::spins ? "spins or bits" : "numbers"));
  const auto states = static_cast<double>(pairs.numbers_of_unit()), betas = static_cast<double>(temperatures),
             count = static_cast<double>(pairs.pairs().size());
  if (const double lines = betas * count * states * states; lines > most_frequencies)
    throw ConfigError(fmt::format(
        "--frequencies: {} pairs of {} x {} states at {} temperature{} are {:.0f} lines, and {:.0f} are the "
        "most. {}",
        pairs.pairs().size(), pairs.numbers_of_unit(), pairs.numbers_of_unit(), temperatures,
        temperatures == 1 ? "" : "s", lines, most_frequencies,
        temperatures > 1 ? "Name fewer --betas." : "Leave it out, or give --local coupled of sparse couplings."));
  return LocalObservables::Frequencies::of_pairs;
}

}  // namespace

std::optional<LocalObservables> observed_local(const ObserveRequest& request, const LayerObservables& what,
                                               const std::string& layer, Index temperatures) {
  const std::string& words = request.local;
  if (words.empty()) return {};
  const bool all = words == "all";
  if (!all && words != "coupled")
    throw ConfigError(fmt::format(
        "--local {}: this is no choice of pairs. Give 'coupled', those that a coupling joins, or 'all' of the layer.",
        words));
  if (all && what.num_units() > most_units_of_all_pairs)
    throw ConfigError(
        fmt::format("--local all: layer '{}' has {} units, and all pairs are measured of at most {}. Give 'coupled'.",
                    layer, what.num_units(), most_units_of_all_pairs));
  const auto pairs = all ? LocalObservables::Pairs::all : LocalObservables::Pairs::coupled;
  LocalObservables local(what, pairs);
  const auto frequencies = frequencies_of(request, local, layer, temperatures);
  if (frequencies == LocalObservables::Frequencies::none) return local;
  return LocalObservables(what, pairs, frequencies);
}

const char* lowered_by(const LocalObservables& local) { return local.coupled().empty() ? "--betas" : "--local"; }

void add_told(const LocalObservables& local, Index temperatures, MemoryNeed& need) {
  constexpr double of_line = 120.0;  // characters
  need.add("the pairs", static_cast<double>(local.pairs().size()) * (sizeof(LocalObservables::Pair) + 1.0),
           lowered_by(local));
  need.add("the averages of units and pairs",
           static_cast<double>(local.size()) * static_cast<double>(temperatures) * (sizeof(ObservedPair) + of_line),
           lowered_by(local));
}

ObservedLocally figures_of(const LocalAverages& found, const LocalObservables& local) {
  ObservedLocally told;
  std::ranges::transform(found.squares, std::back_inserter(told.squares), number_of);
  const Index width = local.numbers_of_unit();
  for (Index k = 0; k < found.units.size(); ++k) {
    const LocalAverage& a = found.units[k];
    told.units.push_back({k / width, k % width, a.value, a.error, a.long_enough});
  }
  for (Index p = 0; p < found.pairs.size(); ++p) {
    const auto [i, j] = local.pairs()[p];
    const LocalAverage &a = found.pairs[p], &c = found.connected[p];
    told.pairs.push_back({i, j, a.value, a.error, c.value, c.error, a.long_enough, c.long_enough});
  }
  for (Index k = 0; k < found.frequencies.size(); ++k) {
    const auto [i, j] = local.pairs()[k / (width * width)];
    const LocalAverage& f = found.frequencies[k];
    told.frequencies.push_back({i, j, k / width % width, k % width, f.value, f.error, f.long_enough});
  }
  return told;
}

void tell_of_local(const std::string& words, const std::optional<SiteGrid>& grid, Observation& found) {
  found.local = words;
  if (grid) found.grid.assign(grid->shape.begin(), grid->shape.end());
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
