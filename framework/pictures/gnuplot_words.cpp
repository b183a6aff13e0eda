#include <harmonium/framework/pictures/gnuplot_words.hpp>

namespace harmonium {
inline namespace v1 {

std::string gnuplot_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? std::string("''") : static_cast<unsigned char>(c) < 0x20 ? " " : std::string(1, c);
  return out + "'";
}

const char* plot_color(std::size_t number) {
  static constexpr const char* colors[num_plot_colors] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                          "#e69f00", "#56b4e9", "#555555", "#8c564b"};
  return colors[number % num_plot_colors];
}

}  // namespace v1
}  // namespace harmonium
