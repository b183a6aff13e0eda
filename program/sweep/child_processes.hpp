#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace harmonium {
inline namespace v1 {

/// This program, started again and again, each process with a number that the caller knows it by. They end with this one,
/// however that ends.
class ChildProcesses {
 public:
  ChildProcesses() = default;
  ~ChildProcesses();
  ChildProcesses(const ChildProcesses&) = delete;
  ChildProcesses& operator=(const ChildProcesses&) = delete;

  /// Starts one with these arguments; what it says goes to the end of `log`. Throws FileError.
  void start(std::size_t number, const std::vector<std::string>& arguments, const std::filesystem::path& log);
  std::size_t running() const { return children_.size(); }
  /// Those that have ended since: their numbers, and exit statuses, minus the signal where one killed it. Does not wait.
  std::vector<std::pair<std::size_t, int>> ended();
  /// Asks all for an orderly end.
  void ask_to_stop() const;

 private:
  struct Child {
    pid_t process;
    std::size_t number;
  };
  std::vector<Child> children_;
};

/// Where this program lies.
std::filesystem::path this_executable();

}  // namespace v1
}  // namespace harmonium
