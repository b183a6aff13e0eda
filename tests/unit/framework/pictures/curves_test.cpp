#include <harmonium/framework/pictures/curves.hpp>

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

namespace curves_test {

using namespace harmonium;

namespace {

MetricsLog log_of(std::vector<MetricSeries> series) {
  MetricsLog log;
  for (const MetricSeries& s : series) log.epochs = std::max(log.epochs, static_cast<std::uint64_t>(s.epochs.back()));
  log.series = std::move(series);
  return log;
}

std::vector<std::string> titles(const CurveFigure& figure) {
  std::vector<std::string> all;
  for (const CurvePanel& panel : figure.panels) all.push_back(panel.title);
  return all;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a figure's name says what it is, of what, and in which unit") {
  const FigureKind likelihood = figure_kind("validation_log_likelihood");
  CHECK(likelihood.title == "log likelihood");
  CHECK(likelihood.unit == "nats a row");
  CHECK(likelihood.member == "validation");
  CHECK(likelihood.more_is_better);
  CHECK(figure_kind("log_likelihood").rank == 0);
  CHECK(figure_kind("norm.weight.visible.hidden").member == "weight.visible.hidden");
  CHECK_FALSE(figure_kind("norm.bias.hidden").more_is_better);
  CHECK(figure_kind("test_accuracy").member == "test");
  CHECK(figure_kind("test_accuracy").over_rows());
  CHECK_FALSE(figure_kind("reconstruction_error").over_rows());
  const FigureKind of_best = figure_kind("best.test_log_likelihood");
  CHECK(of_best.title == "log likelihood");
  CHECK(of_best.member == "best model, test");
  CHECK(of_best.over_rows());
  CHECK(figure_kind("best.value").title == "best.value");
  CHECK(figure_kind("acceptance").title == figure_kind("acceptance.positive").title);
  CHECK(figure_kind("acceptance").member == "negative");
  CHECK(figure_kind("acceptance.positive").member == "positive");
  CHECK(figure_kind("moments.means").member == "means");
  const FigureKind own = figure_kind("validation_contacts");  // of somebody's plugin
  CHECK(own.title == "validation_contacts");
  CHECK(own.unit == "");
  CHECK(own.rank > figure_kind("mean_field_iterations").rank);
}

TEST_CASE("figures that are the band of another are none of their own") {
  const std::vector<LoggedCurve> curves = logged_curves(log_of({{"reconstruction_error", {1}, {0.5}},
                                                                {"log_likelihood_low", {1, 2}, {-5, -4}},
                                                                {"log_likelihood_high", {1, 2}, {-3, -2}},
                                                                {"log_likelihood", {2}, {-3}},
                                                                {"log_likelihood_error", {2}, {0.5}},
                                                                {"log_z", {2}, {10}},
                                                                {"log_z_error", {2}, {0.25}},
                                                                {"b_low", {1}, {1}}}));
  REQUIRE(curves.size() == 4);
  CHECK(curves[0].name == "log_likelihood");  // the first by interest
  CHECK(curves[0].band == LoggedCurve::Band::interval);
  REQUIRE(curves[0].points.size() == 2);
  CHECK(std::isnan(curves[0].points[0].value));  // its ways did not agree
  CHECK(curves[0].points[0].low == -5);
  CHECK(curves[0].points[1].value == -3);
  CHECK(curves[0].points[1].high == -2);  // of the interval, and the error over rows beside it
  CHECK(curves[0].points[1].error == 0.5);
  CHECK(std::isnan(curves[0].points[0].error));
  CHECK(curves[1].name == "reconstruction_error");
  CHECK(curves[1].band == LoggedCurve::Band::none);
  CHECK(std::isnan(curves[1].points[0].low));
  CHECK(curves[2].name == "log_z");
  CHECK(curves[2].band == LoggedCurve::Band::error);
  CHECK(curves[2].points[0].low == 9.75);
  CHECK(curves[2].points[0].high == 10.25);
  CHECK(curves[0].kind.over_rows());
  CHECK_FALSE(curves[2].kind.over_rows());
  CHECK(curves[3].name == "b_low");
}

TEST_CASE("figures of a kind share a panel, and panels come by interest") {
  const CurveFigure figure = figure_of_run(log_of({{"norm.a", {1}, {1}},
                                                   {"norm.b", {1}, {2}},
                                                   {"gradient_norm", {1}, {1}},
                                                   {"pseudo_log_likelihood", {1}, {-1}},
                                                   {"validation_pseudo_log_likelihood", {1}, {-2}}}));
  CHECK(titles(figure) ==
        std::vector<std::string>{"pseudo log likelihood", "norms of the parameters", "norm of the gradient"});
  CHECK(figure.panels[0].curves[0].title == "training");
  CHECK(figure.panels[0].curves[1].title == "validation");
  CHECK(figure.panels[1].curves[1].title == "b");
  CHECK(figure.panels[2].curves[0].title == "");
  CHECK(size_of(figure).width == 760);
}

TEST_CASE("what there is no room for is named") {
  std::vector<MetricSeries> series;
  series.reserve(10);
  for (int i = 0; i < 10; ++i) series.push_back({"norm.t" + std::to_string(i), {1}, {1}});
  for (int i = 0; i < 9; ++i) series.push_back({"own" + std::to_string(i), {1}, {1}});
  const CurveFigure figure = figure_of_run(log_of(std::move(series)));
  CHECK(figure.panels.size() == 8);
  CHECK(figure.panels[0].curves.size() == 8);
  CHECK(figure.left_out == std::vector<std::string>{"norm.t8", "norm.t9", "own7", "own8"});
  CHECK(caption_of(figure, "what was measured") ==
        "what was measured by epoch; left out: norm.t8, norm.t9, own7, own8");
}

TEST_CASE("runs have a panel a figure and a color each") {
  const NamedLog one{"one", log_of({{"loss", {1, 2}, {3, 2}}, {"gradient_norm", {1}, {1}}})};
  const NamedLog two{"two", log_of({{"log_likelihood", {1}, {-1}}, {"loss", {1}, {4}}})};
  const CurveFigure figure = figure_of_runs({one, two});
  CHECK(titles(figure) == std::vector<std::string>{"log likelihood", "loss of the estimator", "norm of the gradient"});
  CHECK(figure.legend == std::vector<std::string>{"one", "two"});
  CHECK(figure.panels[0].curves[0].color == 1);
  CHECK(figure.panels[1].curves.size() == 2);
  CHECK(size_of(figure).height > size_of(figure_of_run(one.log)).height);
}

TEST_CASE("runs of one name have one color, and one line in the legend") {
  const MetricsLog log = log_of({{"loss", {1, 2}, {3, 2}}});
  const CurveFigure figure = figure_of_runs({{"a", log}, {"b", log}, {"a", log}});
  CHECK(figure.legend == std::vector<std::string>{"a", "b"});
  REQUIRE(figure.panels[0].curves.size() == 3);
  CHECK(figure.panels[0].curves[1].color == 1);
  CHECK(figure.panels[0].curves[2].color == 0);
}

TEST_CASE("curves of more than six runs are without bands, which would cover them") {
  const MetricsLog log = log_of({{"log_likelihood", {1, 2}, {-3, -2}},
                                 {"log_likelihood_low", {1, 2}, {-4, -3}},
                                 {"log_likelihood_high", {1, 2}, {-2, -1}}});
  std::vector<NamedLog> runs(6, NamedLog{"run", log});
  CHECK(has(curves_script(figure_of_runs(runs)), "filledcurves"));
  CHECK(title_with_bands(figure_of_runs(runs).panels[0]) == "log likelihood (95 % band)");
  runs.push_back({"run", log});
  const CurveFigure figure = figure_of_runs(runs);
  CHECK_FALSE(has(curves_script(figure), "filledcurves"));
  CHECK(title_with_bands(figure.panels[0]) == "log likelihood");
  CHECK(caption_of(figure, "runs") == "runs by epoch");
}

TEST_CASE("the script has each value, a band where there is one, and points where lines could not be seen") {
  const std::string one = curves_script(figure_of_run(log_of(
      {{"log_likelihood", {1}, {-3.5}}, {"log_likelihood_low", {1}, {-4}}, {"log_likelihood_high", {1}, {-3}}})));
  CHECK(has(one, "$p0c0 << EOD\n1 -3.5\nEOD\n"));
  CHECK(has(one, "$p0c0b << EOD\n1 -3.5 -4 -3\nEOD\n"));
  CHECK(has(one, "yerrorbars"));
  CHECK(has(one, "linespoints"));
  CHECK(has(one, "set ylabel 'nats a row'"));
  CHECK(has(one, "set xlabel 'epoch'"));

  const std::string gap = curves_script(figure_of_run(log_of({{"log_likelihood", {2}, {-3.5}},
                                                              {"log_likelihood_low", {1, 2}, {-5, -4}},
                                                              {"log_likelihood_high", {1, 2}, {-3, -3}}})));
  CHECK(has(gap, "\n1 NaN\n2 -3.5\n"));
  CHECK(has(gap, "filledcurves"));
  CHECK_FALSE(has(gap, "yerrorbars"));

  const std::string quotes = curves_script(figure_of_run(log_of({{"it's\nown", {1}, {1}}})));
  CHECK(has(quotes, "set title 'it''s own'"));
}

TEST_CASE("titles say which panels have intervals, and which standard errors") {
  const std::vector<MetricSeries> estimate{
      {"log_likelihood", {1}, {-3}}, {"log_likelihood_low", {1}, {-4}}, {"log_likelihood_high", {1}, {-2}}};
  const std::vector<MetricSeries> exact{{"log_likelihood", {1}, {-3}}, {"log_likelihood_error", {1}, {0.5}}};
  std::vector<MetricSeries> both = estimate;
  both.push_back({"pseudo_log_likelihood", {1}, {-3}});
  both.push_back({"pseudo_log_likelihood_error", {1}, {0.5}});
  both.push_back({"gradient_norm", {1}, {1}});
  const CurveFigure one = figure_of_run(log_of(both));
  REQUIRE(one.panels.size() == 3);
  CHECK(title_with_bands(one.panels[0]) == "log likelihood (95 % band)");
  CHECK(title_with_bands(one.panels[1]) == "pseudo log likelihood (± 1 s.e.)");
  CHECK(title_with_bands(one.panels[2]) == "norm of the gradient");
  CHECK(has(curves_script(one), "set title 'log likelihood (95 % band)'"));
  CHECK(caption_of(one, "a run's") ==
        "a run's by epoch; bands: 95 % intervals, or one standard error (s.e.), as titles say");
  CHECK(caption_of(figure_of_run(log_of(estimate)), "a run's") == "a run's by epoch; bands: 95 % intervals");
  CHECK(caption_of(figure_of_run(log_of(exact)), "a run's") ==
        "a run's by epoch; bands: one standard error (s.e.) to either side");
  const CurveFigure runs = figure_of_runs({{"a", log_of(estimate)}, {"b", log_of(exact)}});
  CHECK(title_with_bands(runs.panels[0]) == "log likelihood (95 %; exact: s.e.)");
  // An interval without a width is no band.
  const std::vector<MetricSeries> narrow{
      {"log_likelihood", {1}, {-3}}, {"log_likelihood_low", {1}, {-3}}, {"log_likelihood_high", {1}, {-3}}};
  CHECK(title_with_bands(figure_of_run(log_of(narrow)).panels[0]) == "log likelihood");
}

TEST_CASE("the unit of every figure that is known fits beside its plot") {
  // As gnuplot's SVG terminal lays it out: a line is one and a half letters high. A letter is 0.55 of its height wide on average.
  constexpr double line = 1.5 * curves_font, letter = 0.55 * curves_font, top_margin = 2.5;
  const std::vector<std::string> names = known_figure_names();
  CHECK(names.size() > 20);
  for (const std::string& name : names) {
    CAPTURE(name);
    const FigureKind kind = figure_kind(name);
    CHECK(kind.rank < static_cast<int>(names.size()));  // it is known
    const std::vector<CurvePoint> points = figure_of_run(log_of({{"loss", {1}, {1}}})).panels[0].curves[0].points;
    const CurveFigure figure{
        {{kind.title, kind.unit, {{"training", 0, points}, {"of a long name", 1, points}}}}, {}, {}, 380};
    const std::string script = curves_script(figure);
    REQUIRE(has(script, "set tmargin 2.5\n"));
    const double bottom_margin = std::stod(script.substr(script.find("set bmargin ") + 12));
    const double plot = size_of(figure).height - line * (top_margin + bottom_margin);
    CHECK(plot > 100.0);
    CHECK(static_cast<double>(kind.unit.size()) * letter <= plot);
  }
}

TEST_CASE("of very many points the extremes and the ends are drawn") {
  MetricSeries loss{"loss", {}, {}};
  for (int i = 1; i <= 30000; ++i) {
    loss.epochs.push_back(i);
    loss.values.push_back(i == 17017 ? -77 : i == 23456 ? 99 : 0.5);
  }
  const std::string script = curves_script(figure_of_run(log_of({loss})));
  for (const char* part : {"\n1 0.5\n", "\n17017 -77\n", "\n23456 99\n", "\n30000 0.5\n", "with lines"})
    CHECK_MESSAGE(has(script, part), part);
  CHECK(std::count(script.begin(), script.end(), '\n') < 1000);
}

}  // namespace curves_test
