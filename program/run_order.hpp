#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/program/compared_figures.hpp>

namespace harmonium {
inline namespace v1 {

/// Whether runs with more of that figure come first: where more is better. Of others the least come first.
bool greatest_first(const std::string& figure);
/// "sorted by log_likelihood, the greatest first; without it last".
std::string order_words(const std::string& figure);
/// The places of values in that order, equal ones as they were; those that are absent or no numbers are last.
std::vector<std::size_t> places_by(const std::string& figure, const std::vector<std::optional<double>>& values);
/// What a figure is called among the known ones: its name, or with "all_rows." before it where those have that one in its place.
/// Nothing where they have neither.
std::optional<std::string> known_order(const std::string& figure, const std::vector<std::string>& known);
/// The places of runs by the last value of a figure, by its name among them; nothing where there is no such figure.
std::optional<std::vector<std::size_t>> places_of_runs(const std::string& figure,
                                                       const std::vector<ComparedFigure>& figures);
/// "--sort accurcy: no run has such a figure (did you mean 'accuracy'?). Known: accuracy, loss."
std::string unknown_order(const std::string& figure, const std::vector<std::string>& known);
std::vector<std::string> names_of(const std::vector<ComparedFigure>& figures);

/// In the order of places.
template <class T>
std::vector<T> reordered(std::vector<T> all, const std::vector<std::size_t>& places) {
  std::vector<T> sorted;
  sorted.reserve(places.size());
  for (const std::size_t place : places) sorted.push_back(std::move(all[place]));
  return sorted;
}

}  // namespace v1
}  // namespace harmonium
