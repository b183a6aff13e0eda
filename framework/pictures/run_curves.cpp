#include <harmonium/framework/pictures/run_curves.hpp>

#include <harmonium/framework/pictures/curves.hpp>

namespace harmonium {
inline namespace v1 {

std::optional<std::string> draw_run_curves(const std::filesystem::path& gnuplot, const std::filesystem::path& log,
                                           const std::filesystem::path& output) {
  const CurveFigure figure = figure_of_run(read_metrics_log(log));
  if (figure.panels.empty()) return {};
  std::string caption = caption_of(figure, "what was measured along the run,");
  draw_svg_or_png(gnuplot, output, curves_script(figure), size_of(figure), caption);
  return caption;
}

}  // namespace v1
}  // namespace harmonium
