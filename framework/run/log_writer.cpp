#include <harmonium/framework/run/log_writer.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

[[noreturn]] void fail_at_log(const char* doing, const std::filesystem::path& log, int reason) {
  throw FileError(fmt::format("cannot {} {}: {}", doing, log.string(), std::strerror(reason)));
}

int open_log(const std::filesystem::path& log) {
  const int descriptor = ::open(log.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT)
    throw FileError(fmt::format(
        "{}: it was removed while the run was going on, and its lines are lost. Start the run again.", log.string()));
  if (descriptor < 0) fail_at_log("write", log, errno);
  return descriptor;
}

}  // namespace

void begin_log(const std::filesystem::path& log) {
  const int descriptor = ::open(log.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0) fail_at_log("create", log, errno);
  ::close(descriptor);
}

void append_line(const std::filesystem::path& log, const std::string& line) {
  const int descriptor = open_log(log);
  const off_t before = ::lseek(descriptor, 0, SEEK_END);
  const std::string text = line + "\n";
  const ssize_t written = ::write(descriptor, text.data(), text.size());
  const int reason = errno;
  if (written != static_cast<ssize_t>(text.size())) {
    // A line is there whole or not at all. Where even that fails, the reader skips what has no end.
    if (::ftruncate(descriptor, before) != 0) errno = reason;
    ::close(descriptor);
    fail_at_log("write", log, written < 0 ? reason : ENOSPC);
  }
  ::close(descriptor);
}

void flush_log(const std::filesystem::path& log) {
  const int descriptor = open_log(log);
  const bool flushed = ::fsync(descriptor) == 0;
  const int reason = errno;
  ::close(descriptor);
  if (!flushed) fail_at_log("write", log, reason);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
