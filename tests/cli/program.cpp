#include "program.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <harmonium/tests/support/paths.hpp>
#include <harmonium/tests/support/sanitized.hpp>

namespace harmonium::testing {
namespace {

constexpr unsigned longest_run = sanitized ? 600 : 120;  // seconds

int nameless_file() {
  std::string name = (std::filesystem::temp_directory_path() / "harmonium-out-XXXXXX").string();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) throw std::runtime_error("no file for the program's output");
  ::unlink(name.c_str());
  return descriptor;
}

std::string content_of_descriptor(int descriptor) {
  std::string text;
  char buffer[4096];
  ::lseek(descriptor, 0, SEEK_SET);
  for (ssize_t got = 0; (got = ::read(descriptor, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  return text;
}

/// In the child: makes `descriptor` the file, nothing, or what a path names.
void redirect(int descriptor, int file, const std::string& to) {
  if (to == "-") ::close(descriptor);
  else ::dup2(to.empty() ? file : ::open(to.c_str(), O_WRONLY | O_CLOEXEC), descriptor);
}

int open_terminal(std::string& name, unsigned short columns) {
  const int descriptor = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0 || ::grantpt(descriptor) != 0 || ::unlockpt(descriptor) != 0)
    throw std::runtime_error("no terminal");
  name = ::ptsname(descriptor);
  const winsize size{24, columns, 0, 0};
  ::ioctl(descriptor, TIOCSWINSZ, &size);
  return descriptor;
}

}  // namespace

bool terminals_exist() {
  const int descriptor = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool usable = ::grantpt(descriptor) == 0 && ::unlockpt(descriptor) == 0 && ::ptsname(descriptor) != nullptr &&
                      ::access(::ptsname(descriptor), R_OK | W_OK) == 0;
  ::close(descriptor);
  return usable;
}

Running::Running(const Words& arguments, const Surroundings& surroundings) {
  std::vector<char*> words;
  for (const std::string& word : surroundings.launcher) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(const_cast<char*>(words.empty() ? "harmonium" : program_path()));
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  out_ = nameless_file();
  err_ = nameless_file();
  std::string err = surroundings.err;
  if (surroundings.terminal) terminal_ = open_terminal(err, surroundings.columns);
  process_ = ::fork();
  if (process_ != 0) return;
  ::alarm(longest_run);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) std::signal(number, SIG_DFL);
  if (::chdir(surroundings.folder.c_str()) != 0) ::_exit(127);
  if (surroundings.longest_file) {
    const rlimit limit{*surroundings.longest_file, *surroundings.longest_file};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::setenv("LLVM_PROFILE_FILE", "/dev/null", 1);  // what counts lines writes a file of its own
  }
  if (surroundings.most_memory) {
    const rlimit limit{*surroundings.most_memory, *surroundings.most_memory};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  redirect(STDOUT_FILENO, out_, surroundings.out);
  redirect(STDERR_FILENO, err_, err);
  if (surroundings.launcher.empty()) ::execv(program_path(), words.data());
  else ::execvp(words.front(), words.data());
  ::_exit(127);
}

Running::~Running() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  for (const int descriptor : {out_, err_, terminal_})
    if (descriptor >= 0) ::close(descriptor);
}

std::vector<pid_t> Running::children() const {
  const std::string id = std::to_string(process_);
  std::ifstream listed("/proc/" + id + "/task/" + id + "/children");
  std::vector<pid_t> found;
  for (pid_t child = 0; listed >> child;) found.push_back(child);
  return found;
}

bool Running::catches(int signal) const {
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe");
  for (int i = 0; i < 12000; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(10))) {
    std::error_code error;  // until it is the program, it is a copy of this process, which has handlers of its own
    if (std::filesystem::read_symlink("/proc/" + std::to_string(process_) + "/exe", error) == own) continue;
    std::ifstream status("/proc/" + std::to_string(process_) + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("SigCgt:") && (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1u)) return true;
  }
  return false;
}

Outcome Running::wait() {
  Outcome outcome;
  if (terminal_ >= 0) {
    char buffer[4096];
    // A terminal that the last process has left reads as an error.
    for (ssize_t got = 0; (got = ::read(terminal_, buffer, sizeof buffer)) > 0;)
      outcome.err.append(buffer, static_cast<std::size_t>(got));
  }
  int status = 0;
  rusage used{};
  ::wait4(process_, &status, 0, &used);
  process_ = -1;
  outcome.peak_bytes = static_cast<double>(used.ru_maxrss) * 1024.0;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = content_of_descriptor(out_);
  std::istringstream written(content_of_descriptor(err_));
  for (std::string line; std::getline(written, line);) {
    std::string& part = line.starts_with("epoch ")                    ? outcome.epochs
                        : line.starts_with("verdict on Gibbs chains") ? outcome.verdict
                                                                      : outcome.err;
    part += line + (written.eof() ? "" : "\n");
  }
  return outcome;
}

Outcome run(const Surroundings& surroundings, const Words& arguments) {
  return Running(arguments, surroundings).wait();
}
Outcome run(const ScratchFolder& folder, const Words& arguments) {
  return run(Surroundings{.folder = folder.path()}, arguments);
}

bool appears(const std::filesystem::path& path) {
  for (int i = 0; i < 12000; ++i) {
    std::error_code error;
    if (std::filesystem::exists(path, error) && std::filesystem::file_size(path, error) > 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

bool like(std::string_view text, std::string_view pattern) {
  const auto star = pattern.find('*');
  if (star == std::string::npos) return text == pattern;
  if (text.substr(0, star) != pattern.substr(0, star)) return false;
  text.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  for (std::size_t skip = 0; skip <= text.size(); ++skip)
    if (like(text.substr(skip), pattern)) return true;
  return false;
}

void check_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(source_folder()) / "tests/cli/golden" / (name + ".txt");
  if (std::getenv("HARMONIUM_UPDATE_GOLDEN")) std::ofstream(path, std::ios::binary) << text;
  INFO("tests/cli/golden/" << name << ".txt; HARMONIUM_UPDATE_GOLDEN=1 rewrites it");
  CHECK(text == content_of(path));
}

void check_refusal(const Outcome& outcome, int status, std::string_view pattern) {
  INFO("standard error: " << outcome.err);
  INFO("expected:       harmonium: " << std::string(pattern));
  CHECK(outcome.status == status);
  CHECK(outcome.out == "");
  CHECK(std::ranges::count(outcome.err, '\n') == 1);
  CHECK(like(outcome.err, "harmonium: " + std::string(pattern) + "\n"));
}

Words files_below(const std::filesystem::path& folder) {
  Words names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    names.push_back(entry.path().lexically_relative(folder).string());
  std::ranges::sort(names);
  return names;
}

}  // namespace harmonium::testing
