#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace harmonium {
inline namespace v1 {

/// How a run of a sweep ended, for good or until it is tried again.
struct SweepEnd {
  enum class State { finished, diverged, failed };
  State state = State::finished;
  std::string error = {};  ///< in a line; empty where it finished
};
/// "finished", "diverged", "failed".
std::string name_of(SweepEnd::State state);

/// The folder of a sweep. Of a run NAME it has configs/NAME.toml (effective), runs/NAME, the folder of the run, logs/NAME.txt, what it said,
/// and ends/NAME.txt, how it ended. What processes on several machines write there at a time are different runs' files.
class SweepFolder {
 public:
  explicit SweepFolder(std::filesystem::path path) : path_(std::move(path)) {}
  /// Throws ConfigError where there is no sweep and a file that one would replace.
  void check() const;
  /// Makes what is missing of it. Throws FileError.
  void create() const;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config(const std::string& run) const { return path_ / "configs" / (run + ".toml"); }
  std::filesystem::path run(const std::string& run) const { return path_ / "runs" / run; }
  std::filesystem::path log(const std::string& run) const { return path_ / "logs" / (run + ".txt"); }

  /// How a run ended; nothing of one that has not begun or was broken off. Throws DataError where that cannot be read.
  std::optional<SweepEnd> end(const std::string& run) const;
  /// Whether nothing is left to do: it finished, or diverged, as it would again.
  bool over(const std::string& run) const;
  void write_end(const std::string& run, const SweepEnd& end) const;
  /// How a run ended whose process had the exit status `status`, minus the signal that killed it; by what it left and said.
  SweepEnd end_of(const std::string& name, int status) const;
  /// Whether a process trains in the run's folder.
  bool busy(const std::string& name) const;

 private:
  std::filesystem::path end_path(const std::string& run) const { return path_ / "ends" / (run + ".txt"); }

  std::filesystem::path path_;
};

}  // namespace v1
}  // namespace harmonium
