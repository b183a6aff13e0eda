#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <harmonium/framework/pictures/gnuplot.hpp>
#include <harmonium/framework/pictures/logged_curves.hpp>

namespace harmonium {
inline namespace v1 {

/// A line of a panel, with its band.
struct Curve {
  std::string title;      ///< in the key; empty: it is not in it
  std::size_t color = 0;  ///< curves of a number share a color
  std::vector<CurvePoint> points;
  LoggedCurve::Band band = LoggedCurve::Band::none;  ///< what the band is that is drawn
};
struct CurvePanel {
  std::string title, unit;
  std::vector<Curve> curves;
};

/// Panels over the epochs of one run or of several.
struct CurveFigure {
  std::vector<CurvePanel> panels;     ///< at most 8
  std::vector<std::string> legend;    ///< of all panels together: what the colors 0, 1, … stand for
  std::vector<std::string> left_out;  ///< titles of panels, and of curves within one, that there is no room for
  int width = 760;                    ///< in points; below that its panels stand below one another
};

/// The curves of one run, those of a kind in one panel.
CurveFigure figure_of_run(const MetricsLog& log);

/// A run and what is to be said of it. Runs of one name have one color.
struct NamedLog {
  std::string name;
  MetricsLog log;
};
/// The curves of several runs, a panel for each figure and a color for each name.
CurveFigure figure_of_runs(const std::vector<NamedLog>& runs);

/// A panel's title with what its bands are: "log likelihood (95 % band)", "loss (± 1 s.e.)", or for which curves which; the title alone
/// where it has none.
std::string title_with_bands(const CurvePanel& panel);
/// What a figure shows, in a line of ASCII.
std::string caption_of(const CurveFigure& figure, const std::string& whose);

/// A figure for each panel, 380 wide: for a page that sets them as there is room, with a legend of its own.
std::vector<CurveFigure> panels_apart(const CurveFigure& figure);

/// How gnuplot draws it, and how large.
std::string curves_script(const CurveFigure& figure);
FigureSize size_of(const CurveFigure& figure);

}  // namespace v1
}  // namespace harmonium
