#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/pictures/curves.hpp>
#include <harmonium/framework/pictures/gnuplot_words.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr int full_width = 760, panel_height = 210, key_line = 17, legend_line = 18;

/// Where the colors begin again, lines are broken.
std::size_t dashes_of(std::size_t number) { return 1 + number / num_plot_colors; }

/// A round step in which a range is cut into at most six parts, whole where epochs are counted.
double epoch_step(double range) {
  double step = 1.0;
  for (int i = 0; range / step > 6.0; ++i) step *= i % 3 == 1 ? 2.5 : 2.0;  // 1, 2, 5, 10, …
  return step;
}

/// The range of a panel's values and its round steps; gnuplot's choice where the values do not differ.
std::string value_axis(const CurvePanel& panel) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Curve& curve : panel.curves)
    for (const CurvePoint& point : curve.points)
      for (const double value : {point.value, point.low, point.high})
        if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  const double part = (high - low) / 5.0;
  if (!(part > 1e-9 * std::max(std::abs(low), std::abs(high))) || !std::isfinite(part))
    return "set yrange [*:*]\nset ytics autofreq\n";
  const double unit = std::pow(10.0, std::floor(std::log10(part)));
  const double step = unit * (part <= unit ? 1.0 : part <= 2.0 * unit ? 2.0 : part <= 5.0 * unit ? 5.0 : 10.0);
  // Nothing but zero lies on the frame.
  const double bottom = low == 0.0 ? 0.0 : std::ceil(low / step) - 1.0;
  const double top = high == 0.0 ? 0.0 : std::floor(high / step) + 1.0;
  return fmt::format("set yrange [{:.9g}:{:.9g}]\nset ytics {:.9g}\n", bottom * step, top * step, step);
}

/// The plots of a curve, its data in a block of that name, which is added to `data`.
std::string plots_of(const Curve& curve, const std::string& block, std::string& data) {
  const std::vector<CurvePoint>& points = curve.points;
  std::string line, band;
  std::size_t banded = 0;
  for (const CurvePoint& p : points) {
    line += fmt::format("{} {}\n", p.epoch, std::isfinite(p.value) ? fmt::format("{:.9g}", p.value) : "NaN");
    if (!std::isfinite(p.low) || !std::isfinite(p.high)) continue;
    band += fmt::format("{} {:.9g} {:.9g} {:.9g}\n", p.epoch, 0.5 * (p.low + p.high), p.low, p.high);
    ++banded;
  }
  const char* color = plot_color(curve.color);
  std::string plots;
  if (banded > 0) data += fmt::format("${}b << EOD\n{}EOD\n", block, band);
  if (banded == 1)
    plots += fmt::format("${}b using 1:2:3:4 with yerrorbars pt 0 lc rgb '{}' notitle, \\\n  ", block, color);
  if (banded > 1)
    plots +=
        fmt::format("${}b using 1:3:4 with filledcurves fc rgb '{}' fs transparent solid 0.2 noborder notitle, \\\n  ",
                    block, color);
  data += fmt::format("${} << EOD\n{}EOD\n", block, line);
  // Few points are shown as such; one could not be seen without.
  const char* style = points.size() <= 30 ? "linespoints pt 7 ps 0.4" : "lines";
  const std::string title = curve.title.empty() ? "notitle" : "title " + gnuplot_text(curve.title);
  return plots + fmt::format("${} using 1:2 with {} lw 1.5 dt {} lc rgb '{}' {}", block, style, dashes_of(curve.color),
                             color, title);
}

/// The first and the last epoch, with a margin where that is one.
std::pair<double, double> epochs_of(const CurveFigure& figure) {
  double last = 1.0;
  for (const CurvePanel& panel : figure.panels)
    for (const Curve& curve : panel.curves) last = std::max(last, curve.points.back().epoch);
  return {last > 20.0 ? 0.0 : last > 1.0 ? 1.0 : 0.0, last > 1.0 ? last : 2.0};
}

std::string legend_of(const CurveFigure& figure, double share) {
  std::string plots;
  for (std::size_t i = 0; i < figure.legend.size(); ++i)
    plots += fmt::format("{}NaN with lines lw 2 dt {} lc rgb '{}' title {}", i == 0 ? "plot " : ", \\\n  ",
                         dashes_of(i), plot_color(i), gnuplot_text(figure.legend[i]));
  return fmt::format(
      "reset\nset termoption noenhanced\nset origin 0,0\nset size 1,{:.4f}\nset lmargin 2\nset rmargin 2\nset tmargin "
      "0\n"
      "set bmargin 0\nunset border\nunset tics\nset xrange [0:1]\nset yrange [0:1]\n"
      "set key at graph 0, graph 1 left top vertical maxrows {} Left reverse samplen 2\n{}\n",
      share, figure.legend.size(), plots);
}

std::size_t columns_of(const CurveFigure& figure) {
  return figure.panels.size() == 1 || figure.width < full_width ? 1 : 2;
}

int panel_width(const CurveFigure& figure) { return figure.width / static_cast<int>(columns_of(figure)); }

/// Titles of a panel's key that have room beside one another.
std::size_t key_columns(const CurvePanel& panel, int width) {
  std::size_t longest = 0;
  for (const Curve& curve : panel.curves) longest = std::max(longest, curve.title.size());
  return std::max<std::size_t>(1, (width == full_width ? 80 : 30) / (longest + 6));
}
/// Lines of a panel's key.
std::size_t key_lines(const CurvePanel& panel, int width) {
  const auto titled = std::ranges::count_if(panel.curves, [](const Curve& curve) { return !curve.title.empty(); });
  const std::size_t beside = key_columns(panel, width);
  return (static_cast<std::size_t>(titled) + beside - 1) / beside;
}

/// The height of each row of panels.
std::vector<int> row_heights(const CurveFigure& figure) {
  const std::size_t columns = columns_of(figure);
  std::vector<int> heights((figure.panels.size() + columns - 1) / columns, panel_height);
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    int& height = heights[p / columns];
    height =
        std::max(height, panel_height + key_line * static_cast<int>(key_lines(figure.panels[p], panel_width(figure))));
  }
  return heights;
}
int legend_height(const CurveFigure& figure) {
  return figure.legend.empty() ? 0 : legend_line * static_cast<int>(figure.legend.size()) + 10;
}

}  // namespace

FigureSize size_of(const CurveFigure& figure) {
  const std::vector<int> rows = row_heights(figure);
  return {figure.width, std::accumulate(rows.begin(), rows.end(), legend_height(figure))};
}

std::string curves_script(const CurveFigure& figure) {
  const std::size_t columns = columns_of(figure);
  const std::vector<int> rows = row_heights(figure);
  const double height = size_of(figure).height;
  double below = height;
  const auto [first, last] = epochs_of(figure);
  std::string data, body;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const CurvePanel& panel = figure.panels[p];
    std::string plots;
    for (std::size_t c = 0; c < panel.curves.size(); ++c)
      plots += (c == 0 ? "plot " : ", \\\n  ") + plots_of(panel.curves[c], fmt::format("p{}c{}", p, c), data);
    if (p % columns == 0) below -= rows[p / columns];
    const std::size_t lines = key_lines(panel, panel_width(figure));
    body += fmt::format(
        "set origin {},{:.5f}\nset size {},{:.5f}\nset bmargin {:.2f}\nset key maxcols {}\nset title {}\nset ylabel "
        "{}\n"
        "{}{}\n",
        p % columns == 1 ? 0.5 : 0.0, below / height, 1.0 / static_cast<double>(columns), rows[p / columns] / height,
        3.2 + 1.25 * static_cast<double>(lines), key_columns(panel, panel_width(figure)),
        gnuplot_text(title_with_bands(panel)), gnuplot_text(panel.unit), value_axis(panel), plots);
  }
  if (!figure.legend.empty()) body += legend_of(figure, legend_height(figure) / height);
  return fmt::format(
      "reset\nset encoding utf8\nset termoption noenhanced\n{}set grid lt 1 lw 0.5 lc rgb '#dddddd'\nset border 3\n"
      "set tics nomirror out\nset key outside bottom center horizontal Left reverse samplen 1.5\nset lmargin 12\n"
      "set rmargin 2\nset tmargin 2.5\nset xlabel 'epoch' offset 0,0.4\nset "
      "xrange [{}:{}]\nset xtics {}\nset format y '%.6g'\n"
      "set multiplot\n{}unset multiplot\n",
      data, first, last, epoch_step(last - first), body);
}

}  // namespace v1
}  // namespace harmonium
