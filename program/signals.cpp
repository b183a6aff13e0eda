#include <harmonium/program/signals.hpp>

#include <csignal>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <list>
#include <string>

#include <unistd.h>

#include <harmonium/cli/terminal.hpp>
#include <harmonium/framework/core/unfinished.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

std::atomic<bool> stop_asked{false};

constexpr const char* stopped_by_signal = "stopped by a signal";
/// What stands behind it; a text that is never freed, since a handler may be reading it.
std::atomic<const char*> left_by_signal{"; no file was written."};

void write_at_once(const char* text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
}

/// Ends the program from within a signal's handler, where nothing that allocates may be called.
[[noreturn]] void end_at_once(std::initializer_list<const char*> texts) {
  if (Terminal::shows_bar()) write_at_once("\n");
  for (const char* text : texts) write_at_once(text);
  ::_exit(1);
}

/// Seconds that an orderly end may take: less than the 30 that a batch system usually leaves before it kills.
constexpr unsigned patience = 25;

/// While nothing is begun that must be ended in order, the first signal ends the program wherever it is: reading, summing,
/// or in a library. Else it asks for an orderly end, and a second one kills.
void ask_to_stop(int signal) {
  if (!UnfinishedWork::any()) end_at_once({"harmonium: ", stopped_by_signal, left_by_signal.load(), "\n"});
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
      {"harmonium: stopped. What was under way did not end within 25 s of the signal, and what came after the last "
       "checkpoint is lost.\n"});
}

}  // namespace

const std::atomic<bool>& hear_signals() {
  std::signal(SIGALRM, lose_patience);
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  if (std::signal(SIGHUP, ask_to_stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // as under nohup
  return stop_asked;
}

void tell_on_stopping(const std::string& words) {
  static std::list<std::string> all;
  left_by_signal.store(all.emplace_back(words).c_str());
}

std::string stopped_in_words() { return std::string(stopped_by_signal) + left_by_signal.load(); }

void ignore_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_IGN);
}

}  // namespace v1
}  // namespace harmonium
