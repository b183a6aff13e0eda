#include <harmonium/program/sweep/sweep_slurm.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <harmonium/framework/core/control_characters.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/output_folder.hpp>
#include <harmonium/program/sweep/child_processes.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

namespace fs = std::filesystem;

/// More elements than that Slurm does not take, unless it was told (MaxArraySize).
constexpr std::size_t most_tasks = 1000;

bool has_control(const std::string& text) { return std::ranges::any_of(text, is_control); }

/// A script is read by lines, by sbatch and by the shell: what would end one is no part of a word.
void check_line(const std::string& text, const char* what) {
  if (!has_control(text)) return;
  throw ConfigError(
      fmt::format("{} '{}': it holds a line's end or another control character (here ?), which no script for Slurm can "
                  "hold. Leave it out.",
                  what, without_control(text)));
}

/// Whether sbatch may have an option of that name.
bool names_option(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

/// A word for the shell.
std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// Path of a file of Slurm's own, which takes % for a field.
std::string slurm_path(const fs::path& path) {
  std::string text;
  for (const char c : path.string()) text += c == '%' ? std::string("%%") : std::string(1, c);
  return shell_word(text);
}

std::size_t tasks_of(const Value& slurm, std::size_t runs) {
  const Value* given = slurm.find("tasks");
  if (!given) return std::min(runs, most_tasks);
  const auto* number = std::get_if<std::int64_t>(&given->data);
  if (!number || *number < 1)
    throw ConfigError(
        fmt::format("{}: slurm: 'tasks' is the length of the array job, a whole number from 1 on.", given->where));
  return std::min(runs, static_cast<std::size_t>(*number));
}

/// [slurm] as lines of a script.
std::string directives_of(const Value& slurm) {
  if (slurm.is_empty()) return "";
  constexpr std::array own{"array", "dependency", "output", "error", "open-mode", "parsable", "wrap"};
  std::string lines;
  for (const auto& [name, value] : std::get<Value::Table>(slurm.data)) {
    if (name == "tasks") continue;
    if (std::ranges::find(own, name) != own.end())
      throw ConfigError(fmt::format("{}: slurm: '{}' is said by the sweep itself. Leave it out.", value.where, name));
    if (!names_option(name))
      throw ConfigError(fmt::format(
          "{}: slurm: a key is no option of sbatch. Their names have letters, digits and '-'.", value.where));
    const auto* flag = std::get_if<bool>(&value.data);
    const std::string text = flag ? "" : text_of_setting(value);
    if (value.is_table() || value.is_list() || has_control(text) || text.find('"') != std::string::npos)
      throw ConfigError(fmt::format("{}: slurm: '{}' is no value that sbatch takes. Write a text, a number or true.",
                                    value.where, name));
    if (flag && !*flag) continue;
    lines += fmt::format("#SBATCH --{}{}\n", name, flag ? "" : fmt::format("=\"{}\"", text));
  }
  return lines;
}

/// What both jobs have in common, and `own`.
std::string script_text(const WholeSweep& sweep, const SlurmRequest& slurm, const TrainRequest& request,
                        const std::string& directives, const std::string& own) {
  std::string text =
      "#!/bin/sh\n#SBATCH --open-mode=append\n#SBATCH --requeue\n" + directives + directives_of(sweep.slurm());
  if (!slurm.options.empty()) text += fmt::format("#SBATCH {}\n", slurm.options);
  text += fmt::format("exec {} sweep {} --output {} --quiet {}", shell_word(this_executable().string()),
                      shell_word(fs::absolute(slurm.sweep).string()), shell_word(sweep.folder().path().string()), own);
  for (const std::string& setting : request.set) text += " --set " + shell_word(setting);
  if (request.epochs) text += fmt::format(" --epochs {}", *request.epochs);
  if (request.seed) text += fmt::format(" --seed {}", *request.seed);
  for (const std::string& plugin : request.plugins) text += " --plugin " + shell_word(plugin);
  return text + "\n";
}

/// What `sbatch` says to these arguments. Throws FileError where it is content with less than all.
std::string sbatch(std::vector<std::string> words) {
  words.insert(words.begin(), {"sbatch", "--parsable"});
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw FileError(fmt::format("cannot run sbatch: {}", std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, "sbatch", &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string said;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0;
       failed == 0 && ((n = ::read(ends[0], buffer.data(), buffer.size())) > 0 || (n < 0 && errno == EINTR));)
    if (n > 0) said.append(buffer.data(), static_cast<std::size_t>(n));
  ::close(ends[0]);
  if (failed != 0)
    throw FileError(
        fmt::format("cannot run sbatch: {}. Is this a machine from which jobs are submitted? --dry-run "
                    "writes the scripts alone.",
                    std::strerror(failed)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.pop_back();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw FileError(fmt::format("sbatch {} refused: {}", words.back(), said));
  // "NUMBER" or "NUMBER;CLUSTER" on the last line; remarks of the site's may stand in front.
  const std::string last = said.substr(said.rfind('\n') + 1);
  return last.substr(0, last.find(';'));
}

}  // namespace

SlurmScripts write_slurm_scripts(const WholeSweep& sweep, const SlurmRequest& slurm, const TrainRequest& request) {
  check_line(this_executable().string(), "the program");
  check_line(fs::absolute(slurm.sweep).string(), "the sweep");
  check_line(sweep.folder().path().string(), "--output");
  check_line(slurm.options, "--slurm-options");
  for (const std::string& plugin : request.plugins) check_line(plugin, "--plugin");
  const fs::path folder = sweep.folder().path() / "slurm";
  const std::string name = fs::path(slurm.sweep).stem().string();
  SlurmScripts scripts{(folder / "array.sh").string(), (folder / "gather.sh").string(),
                       tasks_of(sweep.slurm(), sweep.runs().runs.size())};
  const auto directives = [&](const char* job, const char* output) {
    return fmt::format("#SBATCH --job-name={}\n#SBATCH --output={}\n", shell_word(name + job),
                       slurm_path(folder) + output);
  };
  const std::string array = script_text(
      sweep, slurm, request,
      directives("", "/task-%a.txt") + fmt::format("#SBATCH --array=1-{}\n#SBATCH --signal=B:TERM@60\n", scripts.tasks),
      fmt::format("--task \"$SLURM_ARRAY_TASK_ID/{}\" --threads \"${{SLURM_CPUS_PER_TASK:-1}}\"", scripts.tasks));
  const std::string gather = script_text(sweep, slurm, request, directives("-gather", "/gather.txt"), "--gather");
  create_folders(folder);
  write_file_atomically(scripts.array, array);
  write_file_atomically(scripts.gather, gather);
  return scripts;
}

std::pair<std::string, std::string> submit(const SlurmScripts& scripts) {
  const std::string array = sbatch({scripts.array});
  try {
    return {array, sbatch({"--dependency=afterany:" + array, scripts.gather})};
  } catch (const FileError& error) {
    throw FileError(
        fmt::format("{}. The array is job {}, and nothing will gather what it makes: give the command with "
                    "--gather once it has ended.",
                    error.what(), array));
  }
}

}  // namespace v1
}  // namespace harmonium
