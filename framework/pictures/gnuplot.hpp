#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace harmonium {
inline namespace v1 {

/// The program gnuplot, which draws figures of numbers; nothing where the PATH leads to none.
std::optional<std::filesystem::path> find_gnuplot();
/// That it is not installed, what comes of that (a clause), and what to do once it is.
std::string without_gnuplot(std::string_view comes_of_it, std::string_view then = "give the same command once more");

/// How large a figure is, in points of the screen.
struct FigureSize {
  int width = 1000, height = 420;
};

/// Draws what the script plots as NAME.svg and NAME.png, and keeps the script as NAME.gp. The script says neither terminal
/// nor output. Throws FileError with what gnuplot said where it failed; no picture is then left half drawn.
void draw_figure(const std::filesystem::path& gnuplot, const std::filesystem::path& name, const std::string& script,
                 FigureSize size = {});

/// The height of letters, in points of the screen, of what the following draw.
inline constexpr int curves_font = 11;
/// Draws what the script plots as an SVG file, which says of itself `caption`, and keeps nothing else. The same script
/// gives the same bytes with one version of gnuplot. Throws as draw_figure does.
void draw_svg(const std::filesystem::path& gnuplot, const std::filesystem::path& file, const std::string& script,
              FigureSize size, const std::string& caption);
/// The same as a PNG file of two points for each of the screen, which says `caption` as its text Description; as an SVG file
/// where the name does not end in .png.
void draw_svg_or_png(const std::filesystem::path& gnuplot, const std::filesystem::path& file, const std::string& script,
                     FigureSize size, const std::string& caption);
/// Throws ConfigError unless `output` ends in .svg or .png; `are` says what it would be, as "curves are".
void check_ends_as_figure(const std::string& output, const char* are);

}  // namespace v1
}  // namespace harmonium
