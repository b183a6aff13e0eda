#include <harmonium/program/report/charts.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/cli/terminal.hpp>
#include <harmonium/framework/pictures/gnuplot_words.hpp>
#include <harmonium/program/report/html.hpp>
#include <harmonium/program/report/words.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr FigureSize chart_size{380, 230};

/// As the panels of curves look.
constexpr const char* chart_style =
    "reset\nset encoding utf8\nset termoption noenhanced\nset grid lt 1 lw 0.5 lc rgb '#dddddd'\nset border 3\n"
    "set tics nomirror out\nset key outside bottom center horizontal Left reverse samplen 1.5\nset lmargin 12\n"
    "set rmargin 3\nset tmargin 2.5\nset format y '%.6g'\n";

/// A block of data of that name.
std::string data_block(const std::string& name, const std::string& lines) {
  return fmt::format("${} << EOD\n{}EOD\n", name, lines);
}

/// A round step in which a range is cut into at most four parts.
double round_step(double range) {
  const double unit = std::pow(10.0, std::floor(std::log10(range / 4.0)));
  for (const double step : {1.0, 2.0, 5.0})
    if (range <= 4.0 * step * unit) return step * unit;
  return 10.0 * unit;
}

}  // namespace

std::string Charts::draw(const std::string& script, FigureSize size, const std::string& description) {
  if (!gnuplot_) return "";
  if (!scratch_) scratch_.emplace();
  const std::filesystem::path file = scratch_->path() / "chart.svg";
  draw_svg(*gnuplot_, file, script, size, "");
  return html_drawing(content_of_file(file), fmt::format("d{}-", count_++), description);
}

std::vector<std::string> Charts::curves(const CurveFigure& figure, const std::string& whose) {
  std::vector<std::string> drawn;
  for (CurveFigure& panel : panels_apart(figure)) {
    CurvePanel& only = panel.panels[0];
    only.title = printable(only.title);
    for (Curve& curve : only.curves) curve.title = printable(curve.title);
    std::string ends;
    for (const Curve& curve : only.curves)
      ends += fmt::format("{}{}{}", ends.empty() ? " It ends at " : ", ", number_words(curve.points.back().value),
                          curve.title.empty() ? "" : fmt::format(" ({})", curve.title));
    drawn.push_back(draw(curves_script(panel), size_of(panel),
                         fmt::format("Chart: {}{} by epoch{}.{}.", whose, only.title,
                                     only.unit.empty() ? "" : ", in " + only.unit, ends)));
  }
  return drawn;
}

std::string Charts::spectrum(const WeightSpectrum& spectrum) {
  std::string values;
  for (std::size_t k = 0; k < spectrum.values.size(); ++k)
    values += fmt::format("{} {:.9g}\n", k + 1, spectrum.values[k]);
  const std::size_t count = spectrum.values.size();
  return draw(
      fmt::format("{}{}set title {}\nset xlabel 'rank' offset 0,0.4\nset ylabel 'singular value'\n"
                  "set xrange [{}:{}]\nset yrange [0:*]\nset key maxcols 1\nset bmargin 7\n"
                  "plot {:.9g} with lines dt 2 lw 1.5 lc rgb '#d55e00' title 'largest of independent entries', \\\n"
                  "  $s using 1:2 with {} lw 1.5 lc rgb '#0072b2' title 'of the weights'\n",
                  chart_style, data_block("s", values), gnuplot_text(printable(spectrum.tensor)), 0.5,
                  static_cast<double>(count) + 0.5, spectrum.edge, count <= 60 ? "linespoints pt 7 ps 0.4" : "lines"),
      {380, 260},
      fmt::format("Chart: the {} singular values of {}, descending from {} to {}. Independent entries of the same "
                  "mean square would reach {}.",
                  count, spectrum.tensor, number_words(spectrum.values.front()), number_words(spectrum.values.back()),
                  number_words(spectrum.edge)));
}

std::string Charts::intervals(const Evaluation& annealed) {
  const Interval both = annealed.log_z_interval.value_or(Interval{-HUGE_VAL, HUGE_VAL});
  const std::optional<double>&at_least = annealed.log_z_at_least, &at_most = annealed.log_z_at_most;
  std::vector<double> ends;
  for (const std::optional<double>& end : {std::optional(both.low), std::optional(both.high), at_least, at_most})
    if (end && std::isfinite(*end)) ends.push_back(*end);
  if (ends.empty()) return "";
  const auto [least, most] = std::ranges::minmax(ends);
  const double margin = std::max(0.25 * (most - least), 1e-6 * std::max(1.0, std::abs(most)));
  const double left = least - margin, right = most + margin;
  // An open end goes to the frame.
  const auto bar = [&](int row, const std::optional<double>& low, const std::optional<double>& high) {
    const double from = low && std::isfinite(*low) ? *low : left, to = high && std::isfinite(*high) ? *high : right;
    return fmt::format("{:.12g} {} {:.12g} {:.12g}\n", 0.5 * (from + to), row, from, to);
  };
  const std::string one = bar(3, at_least, {}), other = bar(2, {}, at_most), all = bar(1, both.low, both.high);
  return draw(
      fmt::format(
          "{}{}{}{}set title 'log Z'\nset lmargin 16\nset xlabel 'nats'\nset xrange [{:.12g}:{:.12g}]\nset yrange "
          "[0.5:3.5]\nset ytics ('forward alone' 3, 'backward alone' 2, 'both, 95 %%' 1)\nunset key\n"
          "set xtics {:.3g}\nset bars 1\n"
          "plot $f using 1:2:3:4 with xerrorbars pt 0 lw 2 lc rgb '#0072b2', \\\n"
          "  $b using 1:2:3:4 with xerrorbars pt 0 lw 2 lc rgb '#d55e00', \\\n"
          "  $a using 1:2:3:4 with xerrorbars pt 0 lw 3 lc rgb '#009e73'\n",
          chart_style, data_block("f", one), data_block("b", other), data_block("a", all), left, right,
          round_step(right - left)),
      {380, 190},
      fmt::format("Chart: log Z is {} by annealing forward alone, {} backward alone, and {} by both.",
                  interval_range(Interval{at_least.value_or(-HUGE_VAL), HUGE_VAL}),
                  interval_range(Interval{-HUGE_VAL, at_most.value_or(HUGE_VAL)}), interval_range(both)));
}

std::string Charts::energies(const std::vector<DiagnosedAge>& ages) {
  std::string points;
  for (const DiagnosedAge& a : ages) points += fmt::format("{} {:.9g} {:.9g}\n", a.step, a.energy, a.error);
  return draw(
      fmt::format(
          "{}{}set title 'energy of fresh chains'\nset logscale x\nset xlabel 'steps from uniform draws' offset "
          "0,0.4\nset ylabel 'mean energy'\nset bars 0.5\nunset key\n"
          "plot $e using 1:2 with lines lw 1.5 lc rgb '#0072b2', \\\n"
          "  $e using 1:2:3 with yerrorbars pt 7 ps 0.4 lw 1.5 lc rgb '#0072b2'\n",
          chart_style, data_block("e", points)),
      chart_size,
      fmt::format("Chart: the mean energy of fresh chains goes from {} after {} steps to {} after {}.",
                  number_words(ages.front().energy), ages.front().step, number_words(ages.back().energy),
                  ages.back().step));
}

std::string Charts::distances(const std::vector<DiagnosedAge>& ages) {
  std::string points;
  for (const DiagnosedAge& a : ages) points += fmt::format("{} {:.9g}\n", a.step, a.distance);
  return draw(
      fmt::format("{}{}set title 'distance of second moments from the data'\nset logscale x\nset xlabel 'steps from "
                  "uniform draws' offset 0,0.4\nset ylabel 'root mean square'\nset yrange [0:*]\nunset key\n"
                  "plot $d using 1:2 with linespoints pt 7 ps 0.4 lw 1.5 lc rgb '#0072b2'\n",
                  chart_style, data_block("d", points)),
      chart_size,
      fmt::format("Chart: the distance of their second moments from those of the data goes from {} to {}.",
                  number_words(ages.front().distance), number_words(ages.back().distance)));
}

std::string Charts::cells(const std::vector<double>& data, const std::vector<double>& draws) {
  std::string lines;
  for (std::size_t c = 0; c < data.size() && c < draws.size(); ++c)
    lines += fmt::format("{} {:.6g} {:.6g}\n", c + 1, data[c], draws[c]);
  return draw(
      fmt::format(
          "{}{}set title 'cells along the leading modes'\nset xlabel 'cell' offset 0,0.4\nset ylabel 'share'\n"
          "set yrange [0:*]\nset style fill solid 1.0 noborder\nset boxwidth 0.36\nset xtics 1\nset bmargin 5.5\n"
          "plot $c using ($1-0.19):2 with boxes lc rgb '#0072b2' title 'data', \\\n"
          "  $c using ($1+0.19):3 with boxes lc rgb '#d55e00' title 'draws'\n",
          chart_style, data_block("c", lines)),
      chart_size, "Chart: the shares of data and of draws in the cells along the leading modes of the weights.");
}

std::string html_legend(const std::vector<std::string>& names) {
  std::string items;
  for (std::size_t i = 0; i < names.size(); ++i)
    items += fmt::format(
        "<li><svg class=\"swatch\" viewBox=\"0 0 24 8\" xmlns=\"http://www.w3.org/2000/svg\" "
        "aria-hidden=\"true\"><path "
        "d=\"M0,4 h24\" stroke=\"var(--c{})\" stroke-width=\"3\"{} /></svg> {}</li>\n",
        i % 8, i < 8 ? "" : " stroke-dasharray=\"6 3\"", html_text(names[i]));
  return "<ul class=\"legend\">\n" + items + "</ul>\n";
}

}  // namespace v1
}  // namespace harmonium
