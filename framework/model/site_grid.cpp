#include <harmonium/framework/model/site_grid.hpp>

#include <functional>
#include <numeric>

namespace harmonium {
inline namespace HARMONIUM_ABI {

Index SiteGrid::num_sites() const { return std::reduce(shape.begin(), shape.end(), Index{1}, std::multiplies()); }

std::vector<std::int64_t> SiteGrid::place_of(Index site) const {
  std::vector<std::int64_t> place(shape.size());
  for (Index a = shape.size(); a-- > 0; site /= shape[a]) place[a] = static_cast<std::int64_t>(site % shape[a]);
  return place;
}

std::optional<Index> SiteGrid::site_at(std::span<const std::int64_t> place) const {
  Index site = 0;
  for (Index a = 0; a < shape.size(); ++a) {
    const auto length = static_cast<std::int64_t>(shape[a]);
    if (open[a] && (place[a] < 0 || place[a] >= length)) return {};
    site = site * shape[a] + static_cast<Index>((place[a] % length + length) % length);
  }
  return site;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
