#include <harmonium/framework/pictures/gnuplot.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>

extern char** environ;

namespace harmonium {
inline namespace v1 {
namespace {

namespace fs = std::filesystem;

/// A string of gnuplot's, in single quotes.
std::string quoted(const fs::path& path) {
  std::string text = "'";
  for (const char c : path.string()) text += c == '\'' ? std::string("''") : std::string(1, c);
  return text + "'";
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
  std::string program = gnuplot.string(), file = script.string();
  char* arguments[] = {program.data(), file.data(), nullptr};
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

void draw_figure(const fs::path& gnuplot, const fs::path& name, const std::string& script, FigureSize size) {
  const fs::path kept = name.string() + ".gp";
  write_file_atomically(
      kept, fmt::format("# gnuplot -e \"set terminal svg size {},{}; set output 'figure.svg'\" {}\n{}", size.width,
                        size.height, kept.filename().string(), script));
  struct Format {
    const char* ending;
    std::string terminal;
  };
  const Format formats[] = {
      {".svg", fmt::format("svg size {},{} dynamic background rgb 'white' font 'sans,12'", size.width, size.height)},
      {".png", fmt::format("pngcairo size {},{} font 'sans,12' fontscale 2 linewidth 2 pointscale 2", 2 * size.width,
                           2 * size.height)}};
  for (const Format& format : formats) {
    AtomicFile picture(name.string() + format.ending);
    AtomicFile driver(name.string() + format.ending + ".draw");
    driver.write(fmt::format("set terminal {}\nset output {}\nload {}\nset output\n", format.terminal,
                             quoted(picture.path()), quoted(kept)));
    auto [said, content] = run(gnuplot, driver.path());
    while (!said.empty() && std::isspace(static_cast<unsigned char>(said.back()))) said.pop_back();
    if (!content) throw FileError(fmt::format("gnuplot could not draw {}: {}", name.string() + format.ending, said));
    picture.commit();
  }
}

}  // namespace v1
}  // namespace harmonium
