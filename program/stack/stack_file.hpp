#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/program/settings.hpp>

namespace harmonium {
inline namespace v1 {

/// What STACK.toml says.
struct StackFile {
  std::string base;                      ///< the configuration, from here on; empty: it is in the file itself
  Settings seeds = {};                   ///< `seed` and `data_seed` beside a base, in place of its own
  bool draws = true, transposed = true;  ///< as in PassUpRequest
  std::vector<Settings> machines;        ///< of each
  /// Of the run that trains all of them at once; none where they stay as they are.
  std::optional<Settings> fine_tune = {};
  /// What the training of all layers at once sets, phase by phase, of the deep Boltzmann machine that the machines make; none:
  /// they make a stack. At most one of the two is there.
  std::vector<Settings> joint = {};
};

/// Reads it from the file's table; `path` is where that stands, from which `base` is taken. Throws ConfigError, with the place,
/// for what is no stack.
StackFile stack_of(const Value& file, const std::string& path);

/// Throws ConfigError about what stands at a place of the file.
[[noreturn]] void refuse_stack(const Value& at, const std::string& problem);

/// The seed of a run that is part of the stack: the base's and k more.
Value seed_of_part(const Value& base, std::size_t k);

/// Where `first`, the first machine's configuration, sets rows aside at random, has `config` set the same ones aside, unless it says
/// by what seed: rows that a machine was trained on are no validation rows of the whole.
void keep_rows_of(const Value& first, Value& config);

/// Puts the seeds that stand beside a base into the configuration that it names, but for those that `set`, assignments KEY=VALUE of the
/// command line, has already put there.
void apply_seeds(const StackFile& stack, const std::vector<std::string>& set, Value& config);

/// Takes out of a table what is about the stack: what is left is the configuration that its machines share.
Value shared_configuration(Value file);

/// The configuration of the run of machine `k`, from 0, as `base` and the file have it: of those above the first without data,
/// observed units, labels, pictures and a start, which are what is passed up (take_rbm_for_columns), and each with a seed of its own, the base's and k
/// more. Where nobody says anything of checkpoints there
/// is one every ten minutes, and the last stays. Of a deep Boltzmann machine the lowest and the top one are trained by the
/// estimator 'doubled'.
Value config_of_machine(const StackFile& stack, const Value& base, std::size_t k);

/// The configuration of the run that fine-tunes the stack, but for its model and what it starts from: the data of the first
/// machine, the estimator 'wake_sleep', the seed after those of the machines, and of `base` what is not a single machine's.
Value config_of_fine_tuning(const StackFile& stack, const Value& base);

}  // namespace v1
}  // namespace harmonium
