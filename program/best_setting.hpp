#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/program/seed_means.hpp>

namespace harmonium {
inline namespace v1 {

/// That the best of several settings has the least or the greatest value of a number that was varied: beyond it may be a better one.
struct GridEdge {
  std::size_t setting = 0;  ///< its place in SeedMeans::settings
  bool greatest = false;    ///< else the least
  std::size_t values = 0;   ///< how many there are
  std::size_t as_good = 0;  ///< settings with other values of it whose mean is within the standard errors of both
};

/// The best of several settings by the mean of a figure of which more is better, and where it lies.
struct BestSetting {
  std::size_t group = 0, figure = 0;  ///< their places
  std::vector<GridEdge> edges;        ///< of numbers with three values or more
};

/// By `figure`; where that is empty by the first one of validation rows, else of any rows, that all settings with finished runs have.
/// Nothing where there is none of which more is better, or no setting is better than another.
std::optional<BestSetting> best_setting(const SeedMeans& means, const std::string& figure);

/// A line for each edge, after an empty one; empty where there is none.
std::string edges_text(const SeedMeans& means, const std::optional<BestSetting>& best);
/// "{"model.num_hidden": {"edge": "greatest", "values": 3, "as_good": 0}}".
std::string edges_json(const SeedMeans& means, const BestSetting& best);

}  // namespace v1
}  // namespace harmonium
