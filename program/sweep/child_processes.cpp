#include <harmonium/program/sweep/child_processes.hpp>

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// What a process does between its fork and the program: only what is allowed beside other threads.
[[noreturn]] void become(pid_t parent, char* const* words, int log) {
  ::setpgid(0, 0);  // Ctrl-C at a terminal is for the parent, which asks for an orderly end
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it was gone already
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGPIPE, SIGXFSZ}) std::signal(number, SIG_DFL);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::execv(words[0], words);
  ::_exit(127);
}

}  // namespace

std::filesystem::path this_executable() { return std::filesystem::read_symlink("/proc/self/exe"); }

ChildProcesses::~ChildProcesses() {
  for (const Child& child : children_) {
    ::kill(child.process, SIGKILL);
    ::waitpid(child.process, nullptr, 0);
  }
}

void ChildProcesses::start(std::size_t number, const std::vector<std::string>& arguments,
                           const std::filesystem::path& log) {
  std::vector<std::string> words{this_executable().string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int said = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (said < 0) throw FileError(fmt::format("cannot write {}: {}", log.string(), std::strerror(errno)));
  const pid_t parent = ::getpid(), process = ::fork();
  if (process == 0) become(parent, pointers.data(), said);
  const int reason = errno;
  ::close(said);
  if (process < 0) throw FileError(fmt::format("cannot start a process: {}", std::strerror(reason)));
  children_.push_back({process, number});
}

std::vector<std::pair<std::size_t, int>> ChildProcesses::ended() {
  std::vector<std::pair<std::size_t, int>> found;
  std::erase_if(children_, [&](const Child& child) {
    int status = 0;
    if (::waitpid(child.process, &status, WNOHANG) != child.process) return false;
    found.emplace_back(child.number, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    return true;
  });
  return found;
}

void ChildProcesses::ask_to_stop() const {
  for (const Child& child : children_) ::kill(child.process, SIGTERM);
}

}  // namespace v1
}  // namespace harmonium
