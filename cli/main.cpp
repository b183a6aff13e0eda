// The program `harmonium`: reads the command line, chooses the precision, runs the command, and says what went wrong.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <new>
#include <stdexcept>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include <harmonium/cli/command_line.hpp>
#include <harmonium/cli/print.hpp>
#include <harmonium/cli/terminal.hpp>
#include <harmonium/framework/config/overrides.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/unfinished.hpp>
#include <harmonium/framework/execution/thread_limit.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/files/table.hpp>
#include <harmonium/plugins/builtin/program.hpp>

namespace {

using namespace harmonium;

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
    end_at_once("\nharmonium: stopped by a signal; nothing was written.\n");  // as Stopped says
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

void hear_signals() {
  std::signal(SIGALRM, lose_patience);
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  if (std::signal(SIGHUP, ask_to_stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // as under nohup
}

void write_out(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw FileError(fmt::format("cannot write to standard output: {}.", std::strerror(errno)));
}

bool is_single(const std::string& precision) { return precision == "float32"; }

/// Most people who name a model file, or their data, here mean another command.
void refuse_other_file(const std::string& path) {
  if (!is_hdf5(path)) {
    if (path.ends_with(".toml") || !std::filesystem::is_regular_file(path) || !known_table_format(path)) return;
    throw ConfigError(fmt::format(
        "{0}: a file of data, not a configuration. 'harmonium init {0} --output CONFIG.toml' writes one for it.",
        path));
  }
  throw ConfigError(
      fmt::format("{}: an HDF5 file, such as a model, not a configuration. To use a model: harmonium "
                  "evaluate, sample or gradient.",
                  path));
}

int train(CommandLine& line, Terminal& terminal) {
  TrainRequest& request = line.train;
  if (request.resume && !std::filesystem::exists(line.config_path))
    throw ConfigError(fmt::format("--resume {}: the folder holds no run (no config.toml).", request.output));
  refuse_other_file(line.config_path);
  request.config = read_toml(line.config_path);
  for (const std::string& assignment : request.set) apply_override(request.config, assignment);
  const std::filesystem::path absolute = std::filesystem::absolute(line.config_path);
  request.config_folder = absolute.parent_path().string();
  request.run_name = absolute.stem().string();
  const bool f32 = is_single(precision_of(request.config, "float32"));
  const TrainOutcome outcome = f32 ? v1_f32::run_train(request) : v1_f64::run_train(request);
  terminal.finish();
  if (outcome.stopped) {
    say(fmt::format("harmonium: stopped after update {}. 'harmonium train --resume {}' goes on.", outcome.updates,
                    outcome.folder));
    return 1;
  }
  if (!line.quiet) write_out(fmt::format("{}/model.h5\n", outcome.folder));
  return 0;
}

void explain(CommandLine& line) {
  TrainRequest& request = line.explain;
  if (is_hdf5(line.config_path)) {
    request.config = read_model_header(line.config_path).config;
  } else {
    refuse_other_file(line.config_path);
    request.config = read_toml(line.config_path);
    request.config_folder = std::filesystem::absolute(line.config_path).parent_path().string();
  }
  for (const std::string& assignment : request.set) apply_override(request.config, assignment);
  const bool f32 = is_single(precision_of(request.config, "float32"));
  write_out(f32 ? v1_f32::run_explain(request) : v1_f64::run_explain(request));
}

void init(const CommandLine& line) {
  const InitRequest& request = line.init;
  if (!request.output.empty()) {
    std::error_code error;
    const std::filesystem::path output = request.output;
    if (std::filesystem::is_directory(output, error))
      throw ConfigError(
          fmt::format("--output {}: a folder of this name exists. Give the name of a file.", request.output));
    if (std::filesystem::equivalent(output, request.data, error))
      throw ConfigError(fmt::format("--output {}: that is the data. Give another name.", request.output));
    if (std::filesystem::exists(output, error) && !request.overwrite)
      throw ConfigError(
          fmt::format("--output {}: the file exists already. Take another name, or add --overwrite.", request.output));
  }
  Value settings = make_table();
  for (const std::string& assignment : request.set) apply_override(settings, assignment);
  const bool f32 = is_single(precision_of(settings, "float32"));
  const std::string text = f32 ? v1_f32::run_init(request) : v1_f64::run_init(request);
  if (request.output.empty()) {
    write_out(text);
  } else {
    write_file_atomically(request.output, text);
    remove_left_partials(std::filesystem::path(request.output).parent_path());
  }
}

void evaluate(const CommandLine& line, Terminal& terminal) {
  const bool f32 = is_single(read_model_header(line.evaluate.model).precision);
  const Evaluation result = f32 ? v1_f32::run_evaluate(line.evaluate) : v1_f64::run_evaluate(line.evaluate);
  terminal.finish();
  write_out(line.json ? evaluation_json(result) : evaluation_text(result));
}

void import_edges(const CommandLine& line) {
  const ImportRequest& request = line.import_edges;
  is_single(request.precision) ? v1_f32::run_import(request) : v1_f64::run_import(request);
}

void sample(const CommandLine& line, Terminal& terminal) {
  const bool f32 = is_single(read_model_header(line.sample.model).precision);
  const std::string text = f32 ? v1_f32::run_sample(line.sample) : v1_f64::run_sample(line.sample);
  terminal.finish();
  if (!line.quiet) write_out(text);
}

void gradient(const CommandLine& line, Terminal& terminal) {
  const bool f32 = is_single(read_model_header(line.gradient.model).precision);
  const auto figures = f32 ? v1_f32::run_gradient(line.gradient) : v1_f64::run_gradient(line.gradient);
  terminal.finish();
  if (line.json) write_out(gradient_json(figures, line.gradient));
  else write_out(gradient_text(figures, line.gradient));
}

void draw(const CommandLine& line, Terminal& terminal) {
  const std::string model = v1_f64::run_drawn_model(line.draw);
  const bool f32 = !model.empty() && is_single(read_model_header(model).precision);
  const std::vector<DrawnPicture> drawn = f32 ? v1_f32::run_draw(line.draw) : v1_f64::run_draw(line.draw);
  terminal.finish();
  if (line.quiet) return;
  for (const DrawnPicture& picture : drawn) write_out(fmt::format("{}: {}\n", picture.path, picture.caption));
}

/// Components are the same in both precisions; those of a plugin that was built for one are had from that.
std::vector<ComponentDescription> components(const CommandLine& line) {
  try {
    return v1_f64::run_describe(line.plugins);
  } catch (const PluginError&) {
    try {
      return v1_f32::run_describe(line.plugins);
    } catch (const PluginError&) {
    }
    throw;
  }
}

int plugins(const CommandLine& line) {
  std::vector<PluginListing> all = v1_f64::run_plugins(line.plugins);
  std::ranges::move(v1_f32::run_plugins(line.plugins), std::back_inserter(all));
  write_out(all.empty() ? std::string("no plugins are found: see 'harmonium plugins --help'\n") : plugins_text(all));
  const bool failed =
      std::ranges::any_of(all, [](const PluginListing& listing) { return listing.given && !listing.failure.empty(); });
  return failed ? 1 : 0;
}

int check(CommandLine& line, Terminal& terminal) {
  TrainRequest& request = line.check;
  refuse_other_file(line.config_path);
  request.config = read_toml(line.config_path);
  request.config_folder = std::filesystem::absolute(line.config_path).parent_path().string();
  for (const std::string& assignment : request.set) apply_override(request.config, assignment);
  const bool f32 = is_single(precision_of(request.config, "float32"));
  const std::vector<CheckResult> results = f32 ? v1_f32::run_check(request) : v1_f64::run_check(request);
  terminal.finish();
  write_out(line.quiet ? failures_text(results) : check_text(results));
  const bool failed =
      std::ranges::any_of(results, [](const CheckResult& r) { return r.outcome == CheckOutcome::failed; });
  return failed ? 1 : 0;
}

int study(CommandLine& line, Terminal& terminal) {
  StudyRequest& request = line.study;
  request.config = make_table();
  if (!line.config_path.empty()) {
    refuse_other_file(line.config_path);
    request.config = read_toml(line.config_path);
  }
  for (const std::string& assignment : request.set) apply_override(request.config, assignment);
  const StudyOutcome outcome = v1_f64::run_study(request);  // in double alone: its measures are exact
  terminal.finish();
  if (outcome.text.empty()) {
    say(fmt::format("harmonium: stopped with {} of {} {} done. The same command goes on.", outcome.done, outcome.total,
                    outcome.parts));
    return 1;
  }
  if (!line.quiet) write_out(outcome.text);
  return 0;
}

/// Lowers the number of threads that was asked for to what the system lets this process have.
void take_threads(CommonRequest& request, Terminal& terminal) {
  const int possible = threads_to_be_had(request.threads);
  if (request.threads <= possible) return;
  terminal.warn(fmt::format(
      "--threads {}: a limit on processes or memory leaves {}, and that many are used. Results are the same.",
      request.threads, possible));
  request.threads = possible;
}

int run_program(int argc, char** argv) {
  std::string answer;
  std::optional<CommandLine> line = read_command_line(argc, argv, answer);
  if (!line) {
    write_out(answer);
    return 0;
  }
  Terminal terminal(line->quiet);
  hear_signals();
  CommonRequest* const requests[] = {&line->train,  &line->init,     &line->explain,  &line->check, &line->import_edges,
                                     &line->sample, &line->evaluate, &line->gradient, &line->draw,  &line->study};
  for (CommonRequest* request : requests) {
    request->display = &terminal;
    request->stop = &stop_asked;
    take_threads(*request, terminal);
  }
  switch (line->command) {
    case Command::train: return train(*line, terminal);
    case Command::init: init(*line); break;
    case Command::explain: explain(*line); break;
    case Command::check: return check(*line, terminal);
    case Command::import_edges: import_edges(*line); break;
    case Command::sample: sample(*line, terminal); break;
    case Command::evaluate: evaluate(*line, terminal); break;
    case Command::gradient: gradient(*line, terminal); break;
    case Command::draw: draw(*line, terminal); break;
    case Command::study: return study(*line, terminal);
    case Command::list: write_out(list_text(components(*line), line->kind)); break;
    case Command::describe: write_out(describe_text(components(*line), line->kind, line->name)); break;
    case Command::plugins: return plugins(*line);
  }
  return 0;
}

/// A closed standard stream would lend its number to the next file that is opened, which then received the messages.
void open_standard_streams() {
  for (const int descriptor : {0, 1, 2})
    if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", descriptor == 1 ? O_RDONLY : O_RDWR);
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a full disk quota is an error message, not a death
  try {
    return run_program(argc, argv);
  } catch (const Error& error) {
    say(fmt::format("harmonium: {}", error.what()));
    return error.exit_status();
  } catch (const std::filesystem::filesystem_error& error) {
    say(fmt::format("harmonium: {}: {}.", error.path1().string(), error.code().message()));
  } catch (const std::bad_alloc&) {
    say("harmonium: out of memory. Take a smaller model, a smaller batch or fewer chains.");
  } catch (const std::length_error&) {
    say("harmonium: more memory is asked for than any machine has. Take a smaller model, a smaller batch or fewer "
        "chains.");
  } catch (const std::exception& error) {
    say(fmt::format("harmonium: unexpected error: {}", error.what()));
  }
  return 1;
}
