// The program `harmonium`: reads the command line, runs the command, and says what went wrong.
#include <csignal>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string_view>

#include <fcntl.h>
#include <malloc.h>

#include <fmt/format.h>

#include <harmonium/cli/parser.hpp>
#include <harmonium/cli/terminal.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/thread_limit.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/rank_group.hpp>
#include <harmonium/program/signals.hpp>

namespace {

using namespace harmonium;

/// Lowers the number of threads that was asked for to what the system lets this process have.
void take_threads(CommonRequest& request, Terminal& terminal) {
  const int possible = threads_to_be_had(request.threads);
  if (request.threads <= possible) return;
  terminal.warn(fmt::format(
      "--threads {}: a limit on processes or memory leaves {}, and that many are used. Results are the same.",
      request.threads, possible));
  request.threads = possible;
}

int run_program(int argc, char** argv, RankGroup& group) {
  group.join();
  const Commands commands = all_commands();
  std::string answer;
  Command* const command = read_command_line(commands, argc, argv, answer);
  if (!command) {
    if (group.leads()) write_out(answer);
    return 0;
  }
  if (group.ranks() && command->name() != std::string_view("train"))
    throw ConfigError(
        fmt::format("{}: only 'harmonium train' is shared by ranks. Start one process.", command->name()));
  Terminal terminal(command->quiet() || !group.leads());
  const std::atomic<bool>* stop = nullptr;
  if (group.leads()) stop = &hear_signals();
  else ignore_signals();
  if (CommonRequest* request = command->common()) {
    request->ranks = group.ranks();
    request->display = group.leads() ? &terminal : nullptr;
    request->stop = stop;
    take_threads(*request, terminal);
  }
  if (!command->writes_files()) tell_on_stopping(".");
  return command->run(terminal);
}

/// A closed standard stream would lend its number to the next file that is opened, which then received the messages.
void open_standard_streams() {
  for (const int descriptor : {0, 1, 2})
    if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", descriptor == 1 ? O_RDONLY : O_RDWR);
}

/// Buffers of a megabyte or two are asked for and given back at every step of annealing. The system's allocator would return each to
/// the system and fetch it again, page by page: a fifth of the time. Larger ones still go back at once.
void keep_freed_memory() {
  constexpr int largest_kept = 4 << 20, most_kept = 64 << 20;
  ::mallopt(M_MMAP_THRESHOLD, largest_kept);
  ::mallopt(M_TRIM_THRESHOLD, most_kept);
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  keep_freed_memory();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a full disk quota is an error message, not a death
  RankGroup group;
  try {
    return run_program(argc, argv, group);
  } catch (const NobodyReads&) {
    return 128 + SIGPIPE;  // as programs end that the signal kills, 'harmonium list | head' among them
  } catch (const AnotherFailed& error) {
    return group.fail(error);
  } catch (const Stopped& error) {
    return group.fail(stopped_in_words(), error.exit_status());
  } catch (const Error& error) {
    return group.fail(error.what(), error.exit_status());
  } catch (const std::filesystem::filesystem_error& error) {
    return group.fail(fmt::format("{}: {}.", error.path1().string(), error.code().message()), 1);
  } catch (const std::bad_alloc&) {
    return group.fail("out of memory. Take a smaller model, a smaller batch or fewer chains.", 1);
  } catch (const std::length_error&) {
    return group.fail(
        "more memory is asked for than any machine has. Take a smaller model, a smaller batch or fewer chains.", 1);
  } catch (const std::exception& error) {
    return group.fail(fmt::format("unexpected error: {}", error.what()), 1);
  }
}
