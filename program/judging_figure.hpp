#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/program/compared_figures.hpp>

namespace harmonium {
inline namespace v1 {

/// A figure, and what is known of it of each of those that are to be told better and worse: runs, or settings over their seeds.
struct JudgedFigure {
  std::string name;
  std::vector<FigureState> of;
  bool unlike = false;  ///< whether their values are of different units, or rows, so that the greatest is not the best
};

/// Of how many a figure is known, and of how many not.
struct FigureCounts {
  std::string figure;
  std::size_t known = 0, not_agreed = 0, not_measured = 0;
  std::size_t all() const { return known + not_agreed + not_measured; }
};

/// The figure by which the best of several is told.
struct Judging {
  std::size_t figure = 0;  ///< its place
  FigureCounts counts;     ///< two known or more
  /// The likelihood that fewer than two have, where it is known or not agreed of some and another figure was taken in its place.
  std::optional<FigureCounts> passed_over = {};
  bool asked = false;  ///< whether it was asked for

  bool of_all() const { return counts.known == counts.all(); }
};

/// Which rows a figure may be of.
enum class JudgedBy { validation_rows, any_rows };

/// The first figure of which more is better and that all have, those of best models aside; of validation rows, else where `rows` allows
/// it of any. In the place of a pseudo likelihood or a bound the log likelihood that the most have, if these are two or more. `asked`,
/// unless empty: that one, of two or more. Nothing where there is none. `figures` are by
/// interest; those that are unlike are left out.
std::optional<Judging> judging_figure(const std::vector<JudgedFigure>& figures, JudgedBy rows,
                                      const std::string& asked = "");

/// Whether the value of a figure depends on the units in which a model takes its data: log likelihoods, their kin, and squared errors.
bool in_units_of_data(const std::string& figure);
/// "validation" or "test" of the rows that a figure is of; empty of those trained on.
std::string part_of_data(const std::string& figure);
/// " --split validation", by which evaluate has these rows; empty of those trained on.
std::string split_option(const std::string& figure);

/// ", of the 2 of 4 runs that have it"; empty of all. `what`: "runs".
std::string among_words(const Judging& judging, const std::string& what);
/// Of whom the figure is not known, or why a likelihood was passed over, and which command measures it; a line, empty where there
/// is nothing to say.
std::string note_on_judging(const Judging& judging, const std::string& what);
/// That a pseudo likelihood does not tell estimators apart, where `settings`, dotted paths of what differs, has one of theirs; a line, or
/// empty.
std::string note_on_estimators(const Judging& judging, const std::vector<std::string>& settings);
/// Members of the best one: "\"best_by\": \"accuracy\", \"best_among\": {…}, \"passed_over\": null"; null all three of others.
std::string judging_json(const Judging* judging);

}  // namespace v1
}  // namespace harmonium
