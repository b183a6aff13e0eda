#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/sha256.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int deepest = 16;
// Reading is given so many times its processor time by the clock: other work, or a slow disk, is not damage.
constexpr double clock_factor = 30.0;

void read_attributes(const Hdf5File& file, const std::string& object) {
  for (const std::string& name : file.attributes(object)) {
    // Whether it is either of the two does not matter; that asking is harmless does.
    try {
      file.string_attribute(name, object);
    } catch (const DataError&) {
    }
    try {
      file.integer_attribute(name, object);
    } catch (const DataError&) {
    }
  }
}

void read_group(const Hdf5File& file, const std::string& group, int depth) {
  if (depth > deepest) {
    throw DataError(fmt::format("{}: groups more than {} deep (a loop, as in a damaged file)", file.name(), deepest));
  }
  read_attributes(file, group);
  for (const std::string& child : file.children(group)) {
    const std::string object = group == "/" ? child : group + "/" + child;
    if (file.is_group(object)) {
      read_group(file, object, depth + 1);
    } else if (file.is_dataset(object)) {
      read_attributes(file, object);
      if (file.is_integer(object)) {
        try {
          file.read<std::int64_t>(object);
        } catch (const DataError&) {
          file.read<std::uint64_t>(object);
        }
      } else if (file.is_numeric(object)) {
        file.read<double>(object);
      }
    }
  }
}

// What the child does: reads, sends the reason where it fails, never returns.
[[noreturn]] void probe_in_child(const std::filesystem::path& path, const std::function<void(const Hdf5File&)>& reading,
                                 pid_t parent, int report, double seconds) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGXCPU}) {
    std::signal(signal, SIG_DFL);
  }
  // Whoever waits for the program also waits for the child, which holds its standard output.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const auto most = static_cast<rlim_t>(std::ceil(seconds));
  const rlimit none{0, 0}, processor{most, most + 1};
  ::setrlimit(RLIMIT_CPU, &processor);
  ::alarm(static_cast<unsigned>(clock_factor * seconds) + 2);  // where the program itself is not there to end it
  ::setrlimit(RLIMIT_CORE, &none);
  const int silence = ::open("/dev/null", O_WRONLY);
  if (silence >= 0) ::dup2(silence, STDERR_FILENO);
  std::string reason;
  try {
    reading(Hdf5File::open(path));
    ::_exit(0);
  } catch (const std::exception& e) {
    reason = e.what();
  }
  const ssize_t sent = ::write(report, reason.data(), std::min<std::size_t>(reason.size(), 4096));
  ::_exit(sent >= 0 ? 1 : 2);
}

// Reads the child's report to its end, which comes when the child exits; false where that takes too long.
bool read_report(int descriptor, Clock::time_point until, std::string& report) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    pollfd ready{descriptor, POLLIN, 0};
    const int found = ::poll(&ready, 1, static_cast<int>(std::min<long long>(left, 1000)));
    if (found <= 0) continue;
    char buffer[4096];
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    report.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace

void read_everything(const Hdf5File& file) { read_group(file, "/", 0); }

void probe_hdf5(const std::filesystem::path& path, double seconds) { probe_hdf5(path, read_everything, seconds); }

void probe_hdf5(const std::filesystem::path& path, const std::function<void(const Hdf5File&)>& reading,
                double seconds) {
  const RegularFile regular(path);
  if (check_checksum(path) == Checksum::matches) return;

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw FileError(fmt::format("{}: cannot be checked: no pipe: {}", path.string(), std::strerror(errno)));
  }
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    probe_in_child(path, reading, parent, ends[1], seconds);
  }
  const int fork_error = errno;
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    throw FileError(
        fmt::format("{}: cannot be checked: no child process: {}", path.string(), std::strerror(fork_error)));
  }
  std::string report;
  const auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(clock_factor * seconds));
  const bool ended = read_report(ends[0], Clock::now() + limit, report);
  ::close(ends[0]);
  if (!ended) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (ended && WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  if (!report.empty()) throw DataError(report);
  if (!ended)
    throw FileError(
        fmt::format("{}: reading it takes more than {:g} seconds of the clock: the machine or its disk is busy. "
                    "Try again later, or from another disk.",
                    path.string(), clock_factor * seconds));
  const bool hangs = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
  throw DataError(fmt::format("{}: a damaged HDF5 file: reading it {}. Take another copy.", path.string(),
                              hangs ? fmt::format("takes more than {:g} seconds of the processor", seconds)
                                    : std::string("crashes the HDF5 library")));
}

}  // namespace v1
}  // namespace harmonium
