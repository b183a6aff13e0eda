#include <harmonium/framework/pictures/gnuplot.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/pictures/markup.hpp>

extern char** environ;

namespace harmonium {
inline namespace v1 {
namespace {

namespace fs = std::filesystem;

/// Whether gnuplot and a shell take a character of a name for nothing but itself, wherever it stands.
bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) || c == '/' || c == '.' || c == '_' || c == '-';
}

/// A path as a string of gnuplot's. It is absolute: one that begins with '|', '<' or '~' is none. All that could end the string
/// or the line, or that gnuplot puts something else in the place of, such as what stands in backticks, is written in octal.
std::string quoted(const fs::path& path) {
  std::string text = "\"";
  bool octal = false;  // of the character before: a digit behind it would be taken for one of its own
  for (const char c : fs::absolute(path).string()) {
    octal = !is_plain(c) || (octal && c >= '0' && c <= '7');
    text += octal ? fmt::format("\\{:03o}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return text + "\"";
}

/// The name of a file for a line of comment, within which it must stay.
std::string commented(const fs::path& file) {
  std::string text = file.filename().string();
  std::ranges::replace_if(
      text, [](char c) { return !is_plain(c); }, '?');
  return text;
}

/// Runs gnuplot on a script; returns what it said, and whether it was content.
std::pair<std::string, bool> run(const fs::path& gnuplot, const fs::path& script) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw FileError(fmt::format("cannot run gnuplot: {}", std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  std::string program = gnuplot.string(), file = fs::absolute(script).string();
  // A figure does not depend on what its user has in ~/.gnuplot.
  char without_own_settings[] = "-d";
  char* arguments[] = {program.data(), without_own_settings, file.data(), nullptr};
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string said;
  char buffer[4096];
  for (ssize_t n = 0; failed == 0 && ((n = ::read(ends[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR));)
    if (n > 0) said.append(buffer, static_cast<std::size_t>(n));
  ::close(ends[0]);
  if (failed != 0) throw FileError(fmt::format("cannot run {}: {}", gnuplot.string(), std::strerror(failed)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {said, WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

/// Has a terminal of gnuplot's draw a script into `output`; `file` is its name in what is said of failures.
void draw_into(const fs::path& gnuplot, const fs::path& file, const fs::path& output, const std::string& terminal,
               const std::string& script) {
  AtomicFile driver(file.string() + ".draw");
  driver.write(fmt::format("set terminal {}\nset output {}\n{}set output\n", terminal, quoted(output), script));
  auto [said, content] = run(gnuplot, driver.path());
  while (!said.empty() && std::isspace(static_cast<unsigned char>(said.back()))) said.pop_back();
  if (!content) throw FileError(fmt::format("gnuplot could not draw {}: {}", file.string(), said));
}

/// `font`: in points of PostScript, of which the terminal has 72 where there are 96 points of a screen.
std::string png_terminal(FigureSize size, double font) {
  return fmt::format("pngcairo size {},{} font 'sans,{:g}' fontscale 2 linewidth 2 pointscale 2", 2 * size.width,
                     2 * size.height, font);
}

std::string drawn_bytes(const fs::path& drawn, const fs::path& file) {
  std::ifstream in(drawn, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  if (!in) throw FileError(fmt::format("{}: what gnuplot drew cannot be read.", file.string()));
  return text;
}

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
  return bytes;
}

/// A tEXt chunk of PNG: its length, its type, what it holds, and the CRC of the latter two (ISO/IEC 15948, 5.3).
std::string description_chunk(const std::string& text) {
  const std::string body = "tEXtDescription" + std::string(1, '\0') + text;
  const auto crc = ::crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(body.size() - 4)) + body + big_endian(static_cast<std::uint32_t>(crc));
}

/// Puts a text in place of what the first element of that name holds, where there is one.
void set_element(std::string& svg, const std::string& name, const std::string& text) {
  const std::string begin = "<" + name + ">", end = "</" + name + ">";
  const std::size_t from = svg.find(begin), to = svg.find(end);
  if (from == std::string::npos || to == std::string::npos || to < from) return;
  svg.replace(from + begin.size(), to - from - begin.size(), escaped_markup(text));
}

}  // namespace

std::optional<fs::path> find_gnuplot() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    const fs::path candidate = fs::path(rest.substr(0, end)) / "gnuplot";
    rest.remove_prefix(std::min(end + 1, rest.size()));
    std::error_code error;
    if (fs::is_regular_file(candidate, error) && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

std::string without_gnuplot(std::string_view comes_of_it, std::string_view then) {
  return fmt::format("gnuplot is not installed: {}. Install it (Debian: gnuplot-nox) and {}.", comes_of_it, then);
}

void draw_figure(const fs::path& gnuplot, const fs::path& name, const std::string& script, FigureSize size) {
  const fs::path kept = name.string() + ".gp";
  write_file_atomically(
      kept, fmt::format("# gnuplot -e \"set terminal svg size {},{}; set output 'figure.svg'\" {}\n{}", size.width,
                        size.height, commented(kept), script));
  struct Format {
    const char* ending;
    std::string terminal;
  };
  const Format formats[] = {
      {".svg", fmt::format("svg size {},{} dynamic background rgb 'white' font 'sans,12'", size.width, size.height)},
      {".png", png_terminal(size, 12.0)}};
  for (const Format& format : formats) {
    const fs::path file = name.string() + format.ending;
    AtomicFile picture(file);
    draw_into(gnuplot, file, picture.path(), format.terminal, fmt::format("load {}\n", quoted(kept)));
    picture.commit();
  }
}

void draw_svg(const fs::path& gnuplot, const fs::path& file, const std::string& script, FigureSize size,
              const std::string& caption) {
  const AtomicFile drawn(file.string() + ".drawn");
  draw_into(gnuplot, file, drawn.path(),
            fmt::format("svg size {},{} background rgb 'white' font 'sans,{}'", size.width, size.height, curves_font),
            script);
  std::string text = drawn_bytes(drawn.path(), file);
  set_element(text, "title", "Harmonium");
  set_element(text, "desc", caption);
  write_file_atomically(file, text);
}

void draw_svg_or_png(const fs::path& gnuplot, const fs::path& file, const std::string& script, FigureSize size,
                     const std::string& caption) {
  if (file.extension() != ".png") {
    draw_svg(gnuplot, file, script, size, caption);
    return;
  }
  const AtomicFile drawn(file.string() + ".drawn");
  draw_into(gnuplot, file, drawn.path(), png_terminal(size, 0.75 * curves_font), script);
  std::string bytes = drawn_bytes(drawn.path(), file);
  constexpr std::size_t start = 8 + 25;  // the signature, and the chunk IHDR, which is the first
  if (bytes.size() < start) throw FileError(fmt::format("gnuplot could not draw {}: it is empty.", file.string()));
  bytes.insert(start, description_chunk(caption));
  write_file_atomically(file, bytes);
}

void check_ends_as_figure(const std::string& output, const char* are) {
  const fs::path ending = fs::path(output).extension();
  if (ending != ".svg" && ending != ".png")
    throw ConfigError(fmt::format("--output {}: {} written as .svg or .png. Give a name that ends so.", output, are));
}

}  // namespace v1
}  // namespace harmonium
