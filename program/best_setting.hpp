#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/program/judging_figure.hpp>
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

/// Where `own`, that of the best, is the least or the greatest of three values or more; its place and `as_good` are left 0.
std::optional<GridEdge> edge_of_values(const std::vector<double>& values, double own);
/// "Its model.num_hidden = 9 is the greatest of 3 values. Try greater ones too.", a line. `what` has them: "setting".
std::string words_on_edge(const GridEdge& edge, const std::string& path, const std::string& value,
                          const std::string& what);

/// The best of several settings by the mean of a figure of which more is better, and where it lies.
struct BestSetting {
  std::size_t group = 0;        ///< its place
  Judging by;                   ///< with the figure's place
  std::vector<GridEdge> edges;  ///< of numbers with three values or more
};

/// Of the settings with finished runs, by `figure`; where that is empty by one of validation rows, else of any (judging_figure.hpp).
/// Nothing where there is none of which more is better, or no setting is better than another.
std::optional<BestSetting> best_setting(const SeedMeans& means, const std::string& figure);

/// After an empty line one for each edge, and notes on what it was judged by, where there are any of either; else empty. Who asked for the
/// figure is told of edges and of what a pseudo likelihood does not tell alone.
std::string best_setting_text(const SeedMeans& means, const std::optional<BestSetting>& best);
/// "{"model.num_hidden": {"edge": "greatest", "values": 3, "as_good": 0}}".
std::string edges_json(const SeedMeans& means, const BestSetting& best);

}  // namespace v1
}  // namespace harmonium
