#include <harmonium/program/signals.hpp>

#include <csignal>
#include <cstddef>

#include <unistd.h>

#include <harmonium/cli/terminal.hpp>
#include <harmonium/framework/core/unfinished.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

std::atomic<bool> stop_asked{false};

/// Ends the program from within a signal's handler, where nothing that allocates may be called. `text` begins with a line's
/// end, for the bar.
template <std::size_t size>
[[noreturn]] void end_at_once(const char (&text)[size]) {
  const std::size_t skipped = Terminal::shows_bar() ? 0 : 1;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text + skipped, size - 1 - skipped);
  ::_exit(1);
}

/// Seconds that an orderly end may take: less than the 30 that a batch system usually leaves before it kills.
constexpr unsigned patience = 25;

/// While nothing is begun that must be ended in order, the first signal ends the program wherever it is: reading, summing,
/// or in a library. Else it asks for an orderly end, and a second one kills.
void ask_to_stop(int signal) {
  if (!UnfinishedWork::any())
    end_at_once("\nharmonium: stopped by a signal; no file was written.\n");  // as Stopped says
  stop_asked.store(true);
  std::signal(signal, SIG_DFL);
  ::alarm(patience);
}

/// An update or a measurement may take for ever. What is left then is as after a kill: a run goes on from its last
/// checkpoint. A file that is being written, such as the checkpoint that was asked for, is waited for.
void lose_patience(int) {
  if (UnfinishedWork::any_file()) {
    ::alarm(1);
    return;
  }
  end_at_once(
      "\nharmonium: stopped. What was under way did not end within 25 s of the signal, and what came after the last "
      "checkpoint is lost.\n");
}

}  // namespace

const std::atomic<bool>& hear_signals() {
  std::signal(SIGALRM, lose_patience);
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  if (std::signal(SIGHUP, ask_to_stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // as under nohup
  return stop_asked;
}

void ignore_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_IGN);
}

}  // namespace v1
}  // namespace harmonium
