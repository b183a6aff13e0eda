#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/program/compared_figures.hpp>

namespace harmonium {
inline namespace v1 {

/// Dotted paths of the settings by which configurations take the numbers of their data in different units, such as
/// `data.standardize`: their log densities of a row differ by those units too. Empty where all are of one unit. What is fitted to the
/// rows, as means and scales are, is no setting: seeds that deal other rows are of one unit. And "classes" where some models observe the
/// class of a row, whose likelihood is then that of the row and its class.
std::vector<std::string> unlike_units(const std::vector<const Value*>& configs);
/// The same of all runs that have a figure in units of their data.
std::vector<std::string> unlike_units(const std::vector<ComparedRun>& runs, const std::vector<ComparedFigure>& figures);

/// "take their data in different units (data.kinds)", of runs or settings.
std::string units_that_differ(const std::vector<std::string>& unlike);
/// "likelihoods, ... are in units of each run's own data (data.kinds differs), ...", with what compares them; a sentence.
std::string words_on_units(const std::vector<std::string>& unlike);
/// "; the values are not all of one unit" where there are some and the figure is in units of the data; else empty.
std::string order_aside(const std::string& figure, const std::vector<std::string>& unlike);

}  // namespace v1
}  // namespace harmonium
