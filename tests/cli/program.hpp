#pragma once

#include <csignal>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include <harmonium/tests/support/scratch.hpp>

namespace harmonium::testing {

using Words = std::vector<std::string>;

/// What a run of the program left: its exit status (128 + the signal where one killed it) and what it wrote. What training tells of its
/// epochs and of chains at its end, where standard error is no terminal, stands apart from the rest of it.
struct Outcome {
  int status = -1;
  std::string out, err, epochs, verdict;
  double peak_bytes = 0.0;  ///< of memory, at its most
};

/// Where it runs: the folder; the longest file that it may write, in bytes; what its standard streams are, where they
/// are not read into the outcome: a path, or "-" for a closed one; a terminal on standard error.
struct Surroundings {
  std::filesystem::path folder{};
  std::optional<unsigned long> longest_file{};
  std::optional<unsigned long> most_memory{};  ///< bytes
  std::string out{}, err{};
  bool terminal = false;
  Words launcher{};             ///< what starts it, found on the path: "mpirun", "-n", "2"
  unsigned short columns = 80;  ///< of the terminal
};

/// Whether this system gives out pseudo-terminals; a bare change of root without /dev/pts does not.
bool terminals_exist();

/// The program while it runs. One that is still running is killed at the end of the scope.
class Running {
 public:
  Running(const Words& arguments, const Surroundings& surroundings);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  /// The processes that a launcher has started.
  std::vector<pid_t> children() const;
  void signal(int number) const { ::kill(process_, number); }
  /// Waits until the program catches the signal, which it does before its work begins; false after two minutes.
  bool catches(int signal) const;
  Outcome wait();

 private:
  pid_t process_ = -1;
  int out_ = -1, err_ = -1, terminal_ = -1;
};

/// Runs the program to its end.
Outcome run(const Surroundings& surroundings, const Words& arguments);
Outcome run(const ScratchFolder& folder, const Words& arguments);

/// Waits until a file exists and holds anything; false after two minutes.
bool appears(const std::filesystem::path& path);

/// Whether a text is as a pattern, in which '*' stands for anything.
bool like(std::string_view text, std::string_view pattern);

/// Checks a text against tests/cli/golden/NAME.txt; with HARMONIUM_UPDATE_GOLDEN set, writes that file.
void check_golden(const std::string& name, const std::string& text);

/// Fails unless the program ended with `status`, wrote nothing to standard output, and one line of the pattern
/// "harmonium: …" to standard error.
void check_refusal(const Outcome& outcome, int status, std::string_view pattern);

/// Names of all files and folders below a folder, sorted.
Words files_below(const std::filesystem::path& folder);

}  // namespace harmonium::testing
