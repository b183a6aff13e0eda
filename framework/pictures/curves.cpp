#include <harmonium/framework/pictures/curves.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::size_t most_panels = 8, most_curves = 8;

/// Of a kind with several members, those of the data that are trained on have none.
std::string title_of(const LoggedCurve& curve, bool alone) {
  return !curve.kind.member.empty() ? curve.kind.member : alone ? "" : "training";
}

/// A gap is the lowest, so that it stays one.
double height_of(const CurvePoint& point) {
  return std::isnan(point.value) ? -std::numeric_limits<double>::infinity() : point.value;
}

void leave_band_out(Curve& curve) {
  curve.band = LoggedCurve::Band::none;
  for (CurvePoint& point : curve.points) point.low = point.high = std::numeric_limits<double>::quiet_NaN();
}

/// Of more points than can be seen, the smallest and the largest of each stretch, and the ends.
std::vector<CurvePoint> thinned(const std::vector<CurvePoint>& points) {
  constexpr std::size_t stretches = 300;
  if (points.size() <= 3 * stretches) return points;
  std::vector<CurvePoint> kept;
  for (std::size_t s = 0; s < stretches; ++s) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(s * points.size() / stretches);
    const auto end = points.begin() + static_cast<std::ptrdiff_t>((s + 1) * points.size() / stretches);
    const auto [low, high] = std::minmax_element(
        begin, end, [](const CurvePoint& a, const CurvePoint& b) { return height_of(a) < height_of(b); });
    if (s == 0 && std::min(low, high) != begin) kept.push_back(*begin);
    kept.push_back(*std::min(low, high));
    if (low != high) kept.push_back(*std::max(low, high));
    if (s + 1 == stretches && std::max(low, high) + 1 != end) kept.push_back(*(end - 1));
  }
  return kept;
}

LoggedCurve::Band drawn_band(const LoggedCurve& curve) {
  const bool drawn = std::ranges::any_of(curve.points, [](const CurvePoint& p) { return p.low < p.high; });
  return drawn ? curve.band : LoggedCurve::Band::none;
}

bool has_band(const CurvePanel& panel, LoggedCurve::Band band) {
  return std::ranges::find(panel.curves, band, &Curve::band) != panel.curves.end();
}

/// Keeps the panels that there is room for.
void bound(CurveFigure& figure) {
  for (std::size_t p = most_panels; p < figure.panels.size(); ++p) figure.left_out.push_back(figure.panels[p].title);
  if (figure.panels.size() > most_panels) figure.panels.resize(most_panels);
}

}  // namespace

CurveFigure figure_of_run(const MetricsLog& log) {
  CurveFigure figure;
  const std::vector<LoggedCurve> curves = logged_curves(log);
  const auto same = [](const FigureKind& a, const FigureKind& b) { return a.title == b.title && a.unit == b.unit; };
  std::vector<bool> drawn(curves.size());
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (drawn[i]) continue;
    CurvePanel panel{curves[i].kind.title, curves[i].kind.unit, {}};
    const auto alone =
        1 == std::ranges::count_if(curves, [&](const LoggedCurve& c) { return same(c.kind, curves[i].kind); });
    for (std::size_t j = i; j < curves.size(); ++j) {
      if (!same(curves[j].kind, curves[i].kind)) continue;
      drawn[j] = true;
      if (panel.curves.size() == most_curves) figure.left_out.push_back(curves[j].name);
      else
        panel.curves.push_back(
            {title_of(curves[j], alone), panel.curves.size(), thinned(curves[j].points), drawn_band(curves[j])});
    }
    figure.panels.push_back(std::move(panel));
  }
  bound(figure);
  return figure;
}

CurveFigure figure_of_runs(const std::vector<NamedLog>& runs) {
  constexpr std::size_t most_with_bands = 6;  // those of more cover each other and the curves
  CurveFigure figure;
  std::vector<std::pair<int, CurvePanel>> panels;  // with their ranks
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto named = std::ranges::find(figure.legend, runs[r].name);
    const auto color = static_cast<std::size_t>(named - figure.legend.begin());
    if (color == figure.legend.size()) figure.legend.push_back(runs[r].name);
    for (const LoggedCurve& curve : logged_curves(runs[r].log)) {
      const std::string& member = curve.kind.member;
      const std::string title = curve.kind.title + (member.empty() ? "" : ": " + member);
      auto panel = std::ranges::find_if(panels, [&](const auto& p) { return p.second.title == title; });
      if (panel == panels.end()) panel = panels.insert(panels.end(), {curve.kind.rank, {title, curve.kind.unit, {}}});
      panel->second.curves.push_back({"", color, thinned(curve.points), drawn_band(curve)});
      if (runs.size() > most_with_bands) leave_band_out(panel->second.curves.back());
    }
  }
  std::ranges::stable_sort(panels, {}, [](const auto& panel) { return panel.first; });
  for (auto& [rank, panel] : panels) figure.panels.push_back(std::move(panel));
  bound(figure);
  return figure;
}

std::vector<CurveFigure> panels_apart(const CurveFigure& figure) {
  std::vector<CurveFigure> apart;
  for (const CurvePanel& panel : figure.panels) {
    apart.emplace_back();
    apart.back().panels.push_back(panel);
    apart.back().width = 380;
  }
  return apart;
}

std::string title_with_bands(const CurvePanel& panel) {
  using Band = LoggedCurve::Band;
  const bool intervals = has_band(panel, Band::interval), errors = has_band(panel, Band::error);
  if (!intervals && !errors) return panel.title;
  // Of what the library measures both are of likelihoods alone: with an interval where log Z is an estimate, with an error over rows where it is exact.
  return panel.title + (!errors ? " (95 % band)" : !intervals ? " (± 1 s.e.)" : " (95 %; exact: s.e.)");
}

std::string caption_of(const CurveFigure& figure, const std::string& whose) {
  using Band = LoggedCurve::Band;
  const auto any_has = [&](Band band) {
    return std::ranges::any_of(figure.panels, [&](const CurvePanel& panel) { return has_band(panel, band); });
  };
  const bool intervals = any_has(Band::interval), errors = any_has(Band::error);
  const char* bands = intervals && errors ? "; bands: 95 % intervals, or one standard error (s.e.), as titles say"
                      : intervals         ? "; bands: 95 % intervals"
                      : errors            ? "; bands: one standard error (s.e.) to either side"
                                          : "";
  return fmt::format("{} by epoch{}{}{}", whose, bands,
                     figure.left_out.empty() ? "" : "; left out: ", fmt::join(figure.left_out, ", "));
}

}  // namespace v1
}  // namespace harmonium
