#include <harmonium/framework/pictures/pair_map.hpp>

#include <iterator>

#include <fmt/format.h>

#include <harmonium/framework/pictures/gnuplot_words.hpp>
#include <harmonium/framework/pictures/shading.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// The colors of Shading::Map::diverging, of which there are eleven between the ends.
std::string palette() {
  std::string words;
  constexpr int last = 10;
  for (int k = 0; k <= last; ++k) {
    const auto [red, green, blue] = color_of(2.0 * k / last - 1.0, {Shading::Map::diverging, -1.0, 1.0});
    words += fmt::format("{}{} '#{:02x}{:02x}{:02x}'", k == 0 ? "" : ", ", k, red, green, blue);
  }
  return words;
}

/// A round step of sites, 1, 2, 5, 10, …, of which there are at most eight.
Index step_of_ticks(Index sites) {
  Index step = 1;
  for (int i = 0; sites / step > 8; ++i) step = i % 3 == 1 ? step / 2 * 5 : 2 * step;
  return step;
}

/// The first site, and then every round number.
std::string ticks(Index sites) {
  std::string words = "1";
  const Index step = step_of_ticks(sites);
  for (Index at = step; at <= sites; at += step)
    if (at > 1) words += fmt::format(", {}", at);
  return words;
}

/// A terminal of vectors keeps an image as one, which viewers blur as they enlarge it: of few sites each point is drawn.
const char* style_of_points(Index sites) {
  constexpr Index most_points_drawn = 120;
  return sites <= most_points_drawn ? "image pixels" : "image";
}

}  // namespace

double end_of_scale(const PairMap& map) { return signed_shading(map.values).high; }

std::string pair_map_script(const PairMap& map) {
  std::string text = "$map << EOD\n";
  for (Index i = 0; i < map.sites; ++i)
    for (Index j = 0; j < map.sites; ++j)
      fmt::format_to(std::back_inserter(text), "{:.6g}{}", map.values[i * map.sites + j],
                     j + 1 == map.sites ? '\n' : ' ');
  const double end = end_of_scale(map), edge = static_cast<double>(map.sites) + 0.5;
  text += fmt::format(
      "EOD\nset termoption noenhanced\nset size ratio 1\nset xrange [0.5:{0}]\nset yrange [{0}:0.5]\nset xtics out "
      "nomirror ({1})\n"
      "set ytics out nomirror ({1})\nset xlabel {2}\nset ylabel {2}\nset palette maxcolors 255 defined ({3})\n"
      "set cbrange [{4:.9g}:{5:.9g}]\nset cblabel {6}\nset border lw 0.5\n"
      "plot $map matrix using ($1 + 1):($2 + 1):3 with {7} notitle\n",
      edge, ticks(map.sites), gnuplot_text(map.axis), palette(), -end, end, gnuplot_text(map.color),
      style_of_points(map.sites));
  return text;
}

}  // namespace v1
}  // namespace harmonium
