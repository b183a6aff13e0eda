#include <harmonium/program/compared_figures.hpp>

#include <algorithm>
#include <cmath>

#include <harmonium/framework/config/subtable.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

const std::string all_rows_prefix = "all_rows.", best_prefix = "best.", test_prefix = "test_";

/// That of the figure's greatest value.
std::optional<CurvePoint> greatest_of(const LoggedCurve& curve) {
  std::optional<CurvePoint> best;
  for (const CurvePoint& point : curve.points)
    if (std::isfinite(point.value) && (!best || point.value > best->value)) best = point;
  return best;
}

std::optional<CurvePoint> point_at(const LoggedCurve& curve, double epoch) {
  const auto found = std::ranges::find(curve.points, epoch, &CurvePoint::epoch);
  if (found == curve.points.end() || !std::isfinite(found->value)) return {};
  return *found;
}

/// The epoch of the best model that a run keeps, of those in its log; nothing where it keeps none.
std::optional<double> epoch_of_best_model(const MetricsLog& log) {
  const MetricSeries* series = log.find("best.epoch");
  if (!series) return {};
  return series->values.back();
}

/// The value of a figure of test rows at the epoch that validation rows chose: that of the best model, else of the greatest value of
/// the same figure of those. The greatest of the test rows themselves would be chosen by what it is to judge.
std::optional<CurvePoint> chosen_of(const LoggedCurve& curve, const std::vector<LoggedCurve>& all,
                                    const std::optional<double>& best_model) {
  if (best_model) return point_at(curve, *best_model);
  const std::string of_validation = "validation_" + curve.name.substr(test_prefix.size());
  const auto found = std::ranges::find(all, of_validation, &LoggedCurve::name);
  const std::optional<CurvePoint> greatest = found == all.end() ? std::nullopt : greatest_of(*found);
  return greatest ? point_at(curve, greatest->epoch) : std::nullopt;
}

/// Whether bits are drawn of the data anew in each epoch, so that the greatest of many values is that of the luckiest draw.
bool draws_bits(const Value& config) {
  const Value* data = subtable(config, "data");
  const Value* binarize = data ? data->find("binarize") : nullptr;
  return binarize && *binarize == make_value("each_epoch");
}

bool beyond_luck(const CurvePoint& best, const CurvePoint& last) {
  constexpr double errors = 4.0;  // which the greatest of a thousand draws does not reach
  return best.value - last.value > errors * std::hypot(best.error, last.error);
}

FinalFigure final_figure(const LoggedCurve& curve, const std::vector<LoggedCurve>& all,
                         const std::optional<double>& best_model, bool drawn) {
  FinalFigure figure{curve.band, curve.points.back(), {}};
  if (curve.kind.over_rows() && std::isfinite(figure.last.error)) figure.rows_error = figure.last.error;
  if (!curve.kind.more_is_better) return figure;
  figure.best = of_test_rows(curve.name) ? chosen_of(curve, all, best_model) : greatest_of(curve);
  if (figure.best && figure.best->value == figure.last.value) figure.best.reset();
  if (figure.best && drawn && !of_test_rows(curve.name) && !beyond_luck(*figure.best, figure.last)) figure.best.reset();
  return figure;
}

/// With the figures of test rows that the best model had along the run: they are the run's, and so of its last epoch.
std::vector<LoggedCurve> with_best_model(std::vector<LoggedCurve> curves, const MetricsLog& log,
                                         const std::optional<double>& best_model) {
  const std::size_t measured = curves.size();
  for (std::size_t c = 0; best_model && c < measured; ++c) {
    if (!of_test_rows(curves[c].name)) continue;
    std::optional<CurvePoint> point = point_at(curves[c], *best_model);
    if (!point) continue;
    point->epoch = static_cast<double>(log.epochs);
    const std::string name = best_prefix + curves[c].name;
    curves.push_back({name, figure_kind(name), curves[c].band, {*point}});
  }
  return curves;
}

}  // namespace

FigureState state_of(const std::vector<ComparedFigure>& figures, const ComparedFigure& figure, std::size_t run) {
  if (const std::optional<FinalFigure>& own = figure.of_runs[run])
    return std::isfinite(own->last.value) ? FigureState::known : FigureState::not_agreed;
  // Where one side alone is known it is a figure of its own.
  const bool one_side = std::ranges::any_of(figures, [&](const ComparedFigure& other) {
    if (!other.of_runs[run] || !other.name.starts_with(figure.name)) return false;
    const std::string_view rest = std::string_view(other.name).substr(figure.name.size());
    return rest == "_low" || rest == "_high";
  });
  return one_side ? FigureState::not_agreed : FigureState::not_measured;
}

std::string_view without_all_rows(std::string_view name) {
  return name.starts_with(all_rows_prefix) ? name.substr(all_rows_prefix.size()) : name;
}

bool of_test_rows(const std::string& name) { return name.starts_with(test_prefix); }

bool of_best_model(const std::string& name) {
  const std::string own = name.starts_with(all_rows_prefix) ? name.substr(all_rows_prefix.size()) : name;
  return own.starts_with(best_prefix) && own != "best.epoch" && own != "best.value";
}

std::vector<ComparedFigure> compared_figures(const std::vector<ComparedRun>& runs) {
  std::vector<std::pair<int, ComparedFigure>> figures;  // with their ranks
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::optional<double> best_model = epoch_of_best_model(runs[r].log);
    const bool drawn = draws_bits(runs[r].config);
    for (const bool at_end : {true, false}) {
      const std::vector<LoggedCurve> curves =
          at_end ? logged_curves(runs[r].final) : with_best_model(logged_curves(runs[r].log), runs[r].log, best_model);
      for (const LoggedCurve& curve : curves) {
        const std::string name = at_end ? all_rows_prefix + curve.name : curve.name;
        auto found = std::ranges::find_if(figures, [&](const auto& f) { return f.second.name == name; });
        if (found == figures.end())
          found =
              figures.insert(figures.end(), {curve.kind.rank, {name, {runs.size(), std::nullopt}, curve.kind.unit}});
        found->second.of_runs[r] = final_figure(curve, curves, at_end ? std::nullopt : best_model, drawn);
      }
    }
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
