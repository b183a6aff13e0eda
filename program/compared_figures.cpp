#include <harmonium/program/compared_figures.hpp>

#include <algorithm>
#include <cmath>

namespace harmonium {
inline namespace v1 {
namespace {

const std::string all_rows_prefix = "all_rows.";

FinalFigure final_figure(const LoggedCurve& curve) {
  FinalFigure figure{curve.band, curve.points.back(), {}};
  if (curve.kind.over_rows() && std::isfinite(figure.last.error)) figure.rows_error = figure.last.error;
  if (!curve.kind.more_is_better) return figure;
  for (const CurvePoint& point : curve.points)
    if (std::isfinite(point.value) && (!figure.best || point.value > figure.best->value)) figure.best = point;
  if (figure.best && figure.best->value == figure.last.value) figure.best.reset();
  return figure;
}

}  // namespace

std::vector<ComparedFigure> compared_figures(const std::vector<ComparedRun>& runs) {
  std::vector<std::pair<int, ComparedFigure>> figures;  // with their ranks
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const bool at_end : {true, false})
      for (const LoggedCurve& curve : logged_curves(at_end ? runs[r].final : runs[r].log)) {
        const std::string name = at_end ? all_rows_prefix + curve.name : curve.name;
        auto found = std::ranges::find_if(figures, [&](const auto& f) { return f.second.name == name; });
        if (found == figures.end())
          found =
              figures.insert(figures.end(), {curve.kind.rank, {name, {runs.size(), std::nullopt}, curve.kind.unit}});
        found->second.of_runs[r] = final_figure(curve);
      }
  std::ranges::stable_sort(figures, {}, [](const auto& figure) { return figure.first; });
  std::vector<ComparedFigure> sorted;
  sorted.reserve(figures.size());
  for (auto& [rank, figure] : figures) sorted.push_back(std::move(figure));
  return sorted;
}

std::vector<ComparedFigure> figures_once(const std::vector<ComparedRun>& runs) {
  std::vector<ComparedFigure> figures = compared_figures(runs);
  const auto same = [](const std::optional<FinalFigure>& a, const std::optional<FinalFigure>& b) {
    constexpr double rounding = 1e-9;
    if (!a || !b) return !a && !b;
    return a->last.epoch == b->last.epoch &&
           std::abs(a->last.value - b->last.value) <= rounding * std::abs(b->last.value);
  };
  const std::vector<ComparedFigure> all = figures;
  std::erase_if(figures, [&](const ComparedFigure& figure) {
    const auto own = std::ranges::find_if(
        all, [&](const ComparedFigure& other) { return all_rows_prefix + other.name == figure.name; });
    return own != all.end() && std::ranges::equal(figure.of_runs, own->of_runs, same);
  });
  return figures;
}

std::vector<ComparedFigure> figures_at_end(const std::vector<ComparedRun>& runs) {
  std::vector<ComparedFigure> figures = compared_figures(runs);
  const std::vector<ComparedFigure> all = figures;
  std::erase_if(figures, [&](const ComparedFigure& figure) {
    const auto of_all_rows = std::ranges::find(all, all_rows_prefix + figure.name, &ComparedFigure::name);
    if (of_all_rows == all.end()) return false;
    for (std::size_t r = 0; r < runs.size(); ++r)
      if (runs[r].state == ComparedRun::State::finished && figure.of_runs[r] && !of_all_rows->of_runs[r]) return false;
    return true;
  });
  return figures;
}

bool stand_twice(const std::vector<ComparedFigure>& figures) {
  return std::ranges::any_of(figures, [&](const ComparedFigure& figure) {
    return std::ranges::find(figures, all_rows_prefix + figure.name, &ComparedFigure::name) != figures.end();
  });
}

}  // namespace v1
}  // namespace harmonium
