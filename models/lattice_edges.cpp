#include <harmonium/models/lattice_edges.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

std::vector<SiteOffset> unit_vectors(Index axes) {
  std::vector<SiteOffset> steps(axes, SiteOffset(axes, 0));
  for (Index a = 0; a < axes; ++a) steps[a][a] = 1;
  return steps;
}

/// Refuses a pair that occurs twice.
void check_simple(const std::vector<Edge>& edges) {
  const auto pair_of = [](const Edge& e) { return std::pair(e.a, e.b); };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(edges.size());
  std::ranges::transform(edges, pairs.begin(), pair_of);
  std::ranges::sort(pairs);
  const auto twice = std::ranges::adjacent_find(pairs);
  if (twice == pairs.end()) return;
  throw ConfigError(fmt::format(
      "sites {} and {} (counted from 0) are joined twice. Give each offset in one of its two directions only, "
      "and make axes open that are so short that both directions meet; two bonds of a pair are one of twice the "
      "coupling.",
      twice->first, twice->second));
}

}  // namespace

std::vector<Edge> edges_of(const SiteGrid& grid, std::vector<SiteOffset> offsets, bool shared) {
  const Index axes = grid.shape.size(), sites = grid.num_sites();
  if (offsets.empty()) offsets = unit_vectors(axes);
  for (const SiteOffset& offset : offsets)
    if (offset.size() != axes)
      throw ConfigError(
          fmt::format("the offset \"{}\" has {} numbers, and the lattice {} axes. Give one number an axis.",
                      fmt::join(offset, " "), offset.size(), axes));
  std::vector<Edge> edges;
  edges.reserve(sites * offsets.size());
  std::vector<bool> joins(offsets.size(), false);
  SiteOffset place(axes);
  for (Index site = 0; site < sites; ++site) {
    const SiteOffset from = grid.place_of(site);
    for (Index o = 0; o < offsets.size(); ++o) {
      std::ranges::transform(from, offsets[o], place.begin(), std::plus());
      const std::optional<Index> other = grid.site_at(place);
      if (!other) continue;
      if (*other == site)
        throw ConfigError(
            fmt::format("the offset \"{}\" leads from a site to itself. Leave it out, or make the axis open.",
                        fmt::join(offsets[o], " ")));
      edges.push_back({static_cast<std::uint32_t>(std::min(site, *other)),
                       static_cast<std::uint32_t>(std::max(site, *other)),
                       static_cast<std::uint32_t>(shared ? o : edges.size())});
      joins[o] = true;
    }
  }
  for (Index o = 0; o < offsets.size(); ++o)
    if (!joins[o])
      throw ConfigError(fmt::format("the offset \"{}\" leads beyond the open axes from every site. Leave it out.",
                                    fmt::join(offsets[o], " ")));
  check_simple(edges);
  return edges;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
