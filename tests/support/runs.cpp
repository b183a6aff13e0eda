#include <harmonium/tests/support/paths.hpp>
#include <harmonium/tests/support/runs.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <stdexcept>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace harmonium::testing {
namespace {

/// Asks for an orderly end once enough is done.
class Stopper final : public Display {
 public:
  explicit Stopper(double after) : after_(after) {}
  void note(const std::string&) override {}
  void warn(const std::string&) override {}
  void progress(double fraction, const std::string&) override {
    if (fraction >= after_) stop.store(true);
  }
  void finish() override {}

  std::atomic<bool> stop{false};

 private:
  double after_;
};

// 173 rows of 15 columns to train on.
constexpr const char* shifter = "type = \"labeled_shifter\"\nbits = 6\nvalidation = 0.1\n";
constexpr const char* small_model = "type = \"rbm\"\nnum_visible = 15\nnum_hidden = 8\n";
constexpr const char* momentum = "type = \"sgd\"\nlearning_rate = 0.05\nmomentum = 0.8\n";
constexpr const char* nesterov = "type = \"sgd\"\nlearning_rate = 0.05\nmomentum = 0.8\nmomentum_type = \"nesterov\"\n";
constexpr const char* adam = "type = \"adam\"\nlearning_rate = 0.01\n";

}  // namespace

std::vector<Setup> setups() {
  const std::string wide_data = "type = \"labeled_shifter\"\nbits = 4\n";
  const std::string wide_model = "type = \"rbm\"\nnum_visible = 11\nnum_hidden = 600\n";
  return {
      {"cd, large batches", shifter, small_model, "type = \"cd\"\n", momentum, 150},
      {"cd, small batches, centered", shifter, small_model, "type = \"cd\"\ngibbs_steps = 2\ncentering = true\n", adam},
      {"cd, sampled statistics", shifter, small_model, "type = \"cd\"\nsampled_statistics = true\n"},
      {"pcd, many chains", shifter, small_model,
       "type = \"pcd\"\nnum_chains = 201\ngibbs_steps = 2\ncentering = true\n", nesterov},
      {"pcd, as many chains as rows", shifter, small_model, "type = \"pcd\"\n", adam, 150,
       "[[regularizers]]\ntype = \"l2\"\nstrength = 0.01\n"},
      {"pcd, few chains, exact draws", shifter, small_model,
       "type = \"pcd\"\nnum_chains = 30\nsampler = { type = \"exact\" }\n"},
      {"pcd, flip the state", shifter, small_model,
       "type = \"pcd\"\nnum_chains = 201\ngibbs_steps = 2\nsampler = { type = \"flip_the_state\" }\n"},
      {"cd, Metropolis", shifter, small_model, "type = \"cd\"\nsampler = { type = \"metropolis\" }\n", adam, 150},
      {"pcd, random scan", shifter, small_model,
       "type = \"pcd\"\nnum_chains = 30\nsampler = { type = \"gibbs\", scan = \"random\" }\n"},
      {"naive, uniform start", shifter, small_model, "type = \"naive_mcmc\"\nnum_chains = 131\ngibbs_steps = 3\n",
       adam},
      {"naive, matched start", shifter, small_model,
       "type = \"naive_mcmc\"\nstart = \"marginals\"\nnum_chains = 20\ncentering = true\n", momentum, 150},
      {"exact, large batches", shifter, small_model, "type = \"exact\"\ncentering = true\n", adam, 150},
      {"exact, small batches", shifter, small_model, "type = \"exact\"\n", momentum},
      {"pcd, persistent clamped chains", shifter, small_model,
       "type = \"pcd\"\npositive = { type = \"chains\", gibbs_steps = 2 }\n", momentum},
      {"cd, persistent mean field", shifter, small_model,
       "type = \"cd\"\npositive = { type = \"mean_field\", start = \"persistent\" }\n", adam, 150},
      {"general machine, cd, mean field", shifter, "type = \"boltzmann_machine\"\nnum_visible = 15\nnum_hidden = 5\n",
       "type = \"cd\"\n", momentum},
      {"deep machine, pcd, persistent clamped chains", shifter,
       "type = \"deep\"\nnum_visible = 15\nnum_hidden = [6, 5]\n",
       "type = \"pcd\"\nnum_chains = 30\npositive = { type = \"chains\" }\n", adam, 150},
      {"cd, log Z along training", shifter, small_model, "type = \"cd\"\n", momentum, 40,
       "[[observers]]\ntype = \"log_likelihood\"\nevery = 1\n"
       "log_z = { type = \"online\", num_ladders = 4, num_steps = 30 }\n"},
      {"pcd, trajectory tempering", shifter, small_model,
       "type = \"pcd\"\nnum_chains = 20\n"
       "sampler = { type = \"trajectory_tempering\", num_rungs = 4, adapt_steps = 9 }\n"},
      {"noise contrastive, chains watched", shifter, small_model, "type = \"noise_contrastive\"\nnoise_rows = 3\n",
       adam, 150,
       "[[observers]]\ntype = \"estimator_figures\"\n[[observers]]\ntype = \"mixing\"\nevery = 1\nsteps = 100\n"
       "sampler = { type = \"parallel_tempering\", num_rungs = 3, adapt_steps = 40 }\n"},
      {"stack, up and down", shifter,
       "type = \"stack\"\nuntied = true\nmachines = [{type = \"rbm\", num_visible = 15, num_hidden = 8}, "
       "{type = \"rbm\", num_visible = 8, num_hidden = 6}]\n",
       "type = \"wake_sleep\"\ngibbs_steps = 2\n", adam, 150},
      {"cd, wide layer", wide_data, wide_model, "type = \"cd\"\n", adam, 31},
      {"pcd, wide layer", wide_data, wide_model, "type = \"pcd\"\nnum_chains = 25\n", momentum, 48},
  };
}

std::vector<Setup> setups_that_draw_little() {
  std::vector<Setup> all = setups();
  for (Setup& setup : std::span(all).subspan(1)) setup.more += "[pictures]\nwhich = []\n";
  return all;
}

std::string config_of(const Setup& setup, int num_epochs, int checkpoint_every) {
  return fmt::format(
      "seed = 5\nprecision = \"{}\"\n[data]\n{}[model]\n{}[estimator]\n{}[optimizer]\n{}"
      "[training]\nnum_epochs = {}\nbatch_size = {}\ncheckpoint_every = {}\n[initializer]\ntype = \"normal\"\nstd = "
      "0.3\n{}",
      sizeof(Real) == 4 ? "float32" : "float64", setup.data, setup.model, setup.estimator, setup.optimizer, num_epochs,
      setup.batch_size, checkpoint_every, setup.more);
}

Registries builtin() {
  Registries registries;
  enroll_builtin(registries);
  return registries;
}

TrainOutcome train_in(const std::filesystem::path& folder, const std::string& config, const HowToTrain& how,
                      const Registries& registries) {
  Stopper stopper(how.stop_after);
  TrainRequest request;
  request.config = parse_toml(config, "run.toml");
  request.output = folder.string();
  request.threads = how.threads;
  request.resume = how.resume;
  if (how.stop_after < 1.0) {
    request.display = &stopper;
    request.stop = &stopper.stop;
  }
  return train(request, registries);
}

std::string differences(const std::filesystem::path& a, const std::filesystem::path& b,
                        const std::vector<std::string>& files) {
  std::string text;
  for (const std::string& file : files) {
    if (!std::filesystem::exists(a / file) || !std::filesystem::exists(b / file)) {
      text += file + " is missing; ";
    } else if (content_of(a / file) != content_of(b / file)) {
      text += file + " differs; ";
    }
  }
  return text;
}

std::vector<std::string> files_of(const std::filesystem::path& folder) {
  std::vector<std::string> files{"config.toml", "metrics.jsonl", "model.h5"};
  for (const auto& entry : std::filesystem::directory_iterator(folder / "checkpoints"))
    files.push_back("checkpoints/" + entry.path().filename().string());
  if (std::filesystem::exists(folder / "pictures"))
    for (const auto& entry : std::filesystem::directory_iterator(folder / "pictures"))
      files.push_back("pictures/" + entry.path().filename().string());
  return files;
}

std::map<std::string, std::vector<double>> tensors_of(const std::filesystem::path& file) {
  const Hdf5File h5 = Hdf5File::open(file);
  std::map<std::string, std::vector<double>> tensors;
  for (const std::string& name : h5.children("parameters"))
    tensors[name] = h5.read<double>("parameters/" + name).values;
  return tensors;
}

StateArchive::Fields state_of(const std::filesystem::path& checkpoint) {
  StateArchive::Fields fields = load_state(checkpoint);
  std::erase_if(fields, [](const auto& field) { return field.first.starts_with("observer_"); });
  return fields;
}

pid_t start_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  std::vector<std::string> words{program_path()}, settings = environment;
  words.insert(words.end(), arguments.begin(), arguments.end());
  for (char** e = environ; *e; ++e) {
    const std::string setting = *e, name = setting.substr(0, setting.find('=') + 1);
    if (std::ranges::none_of(environment, [&](const std::string& own) { return own.starts_with(name); }))
      settings.push_back(setting);
  }
  std::vector<char*> argv, envp;
  for (std::string& w : words) argv.push_back(w.data());
  for (std::string& s : settings) envp.push_back(s.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int failed = posix_spawn(&process, program_path(), &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("the program cannot be started");
  return process;
}

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR) throw std::runtime_error("the program cannot be waited for");
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  return wait_for(start_program(arguments, environment));
}

}  // namespace harmonium::testing
