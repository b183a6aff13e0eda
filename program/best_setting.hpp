#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/program/judging_figure.hpp>
#include <harmonium/program/seed_means.hpp>
#include <harmonium/program/told_apart.hpp>

namespace harmonium {
inline namespace v1 {

/// That the best of several settings has the least or the greatest value of a number that was varied: beyond it may be a better one.
struct GridEdge {
  std::size_t setting = 0;  ///< its place in SeedMeans::settings
  bool greatest = false;    ///< else the least
  std::size_t values = 0;   ///< how many there are
  std::size_t as_good = 0;  ///< settings, or runs, with other values of it that are not told from the best
};

/// Where `own`, that of the best, is the least or the greatest of three values or more; its place and `as_good` are left 0.
std::optional<GridEdge> edge_of_values(const std::vector<double>& values, double own);
/// "Its model.num_hidden = 9 is the greatest of 3 values. Try greater ones too.", a line. `what` has them: "setting", `alike`: what
/// others are that are as good, "not told from it".
std::string words_on_edge(const GridEdge& edge, const std::string& path, const std::string& value,
                          const std::string& what, const std::string& alike);

/// A setting that the scatter over seeds does not tell from the best, or of which the scatter is not known.
struct AsGood {
  std::size_t group = 0;      ///< its place
  MeanDifference difference;  ///< of the best one's mean from its, 0 or more
};

/// The best of several settings by the mean of a figure of which more is better, and where it lies.
struct BestSetting {
  std::size_t group = 0;             ///< its place
  Judging by;                        ///< with the figure's place
  std::vector<GridEdge> edges;       ///< of numbers with three values or more
  std::vector<AsGood> as_good = {};  ///< not told from it; the nearest first
};

/// Of the settings with finished runs, by `figure`; where that is empty by one of validation rows, else of any (judging_figure.hpp).
/// Nothing where there is none of which more is better, or no setting is better than another.
std::optional<BestSetting> best_setting(const SeedMeans& means, const std::string& figure);
/// Why there is none: "No best setting is named: the settings take their data in different units (data.kinds).", a sentence.
std::string words_on_no_best_setting(const SeedMeans& means, const std::string& figure);

/// After an empty line which setting is the best, how many others are not told from it, with what settles it, a line for each edge, and notes on
/// what it was judged by; or why there is none, empty of one setting alone. `by_number`: settings are called so, as "setting 3".
std::string best_setting_text(const SeedMeans& means, const std::string& figure, bool by_number);
/// "{"model.num_hidden": {"edge": "greatest", "values": 3, "as_good": 0}}".
std::string edges_json(const SeedMeans& means, const BestSetting& best);
/// "[{"name": "num_hidden = 8", "difference": 0.1, "error": 0.2, "degrees_of_freedom": 3.5, "least_told": 0.6}]".
std::string as_good_json(const SeedMeans& means, const BestSetting& best);

}  // namespace v1
}  // namespace harmonium
