#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <harmonium/framework/core/state_archive.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/findings.hpp>

namespace harmonium::testing {

/// A training run in a few lines of TOML each.
struct Setup {
  std::string name, data, model, estimator, optimizer = "type = \"sgd\"\nlearning_rate = 0.05\n";
  int batch_size = 40;
  std::string more = {};  ///< further tables
};

/// Every estimator, with centering, momentum and Adam, batches and chains above and below the 128 rows of a tile, and a
/// layer that is cut into panels.
std::vector<Setup> setups();
/// The same, of which the first alone draws pictures: they take most of a small run's time.
std::vector<Setup> setups_that_draw_little();

/// The whole configuration, in the precision of this build.
std::string config_of(const Setup& setup, int num_epochs, int checkpoint_every);

/// Everything that is built in.
Registries builtin();

struct HowToTrain {
  int threads = 1;
  bool resume = false;
  double stop_after = 1.0;  ///< of all updates: asks to stop, as a signal does
};
TrainOutcome train_in(const std::filesystem::path& folder, const std::string& config, const HowToTrain& how = {},
                      const Registries& registries = builtin());

/// Which of `files` differ in a byte between two folders; empty where none does.
std::string differences(const std::filesystem::path& a, const std::filesystem::path& b,
                        const std::vector<std::string>& files);
/// The files of a finished run that are functions of configuration and seed: model, metrics, all checkpoints, pictures.
std::vector<std::string> files_of(const std::filesystem::path& folder);

/// The tensors of a model file, and the state of a checkpoint without that of the observers.
std::map<std::string, std::vector<double>> tensors_of(const std::filesystem::path& file);
StateArchive::Fields state_of(const std::filesystem::path& checkpoint);

/// Starts the program with its output thrown away; `environment` is added to that of this process.
pid_t start_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {});
/// Its exit status, or minus the signal that ended it.
int wait_for(pid_t process);
int run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {});

}  // namespace harmonium::testing
