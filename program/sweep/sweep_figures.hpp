#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/pictures/gnuplot.hpp>
#include <harmonium/program/sweep/sweep_table.hpp>

namespace harmonium {
inline namespace v1 {

/// Figures over one key of a sweep.
struct SweepFigure {
  std::string file;  ///< its name
  std::string script, caption;
  FigureSize size;
};

/// For each key that has two values or more: the first figures by interest over its values, means over seeds with one standard
/// error to either side, of the runs that finished. A line for each setting of the other keys, where there are not too many.
std::vector<SweepFigure> figures_of_sweep(const SweepRuns& runs, const SweepResults& results);

}  // namespace v1
}  // namespace harmonium
