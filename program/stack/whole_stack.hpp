#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/cli/terminal.hpp>
#include <harmonium/program/stack/stack_check.hpp>
#include <harmonium/program/stack/stack_file.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace v1 {

/// The machines of a stack and their folder: machine1, machine2 and so on, runs; passed_up1 and so on, what each passes up;
/// stack.toml, what all are made from; machines.sha256, the checksums of the machines that others were made from; model.h5, the
/// stack. Where it is fine-tuned, greedy.h5 is the stack before, and fine_tuned the run. Of a deep Boltzmann machine start.h5 is
/// what the machines make, and joint the run of the training that starts there, joint2 that of its second phase and so on; the model of
/// the last is model.h5.
class WholeStack {
 public:
  /// `shared`: the configuration of all machines, settings of the command line applied. `request` is what its runs are made with.
  WholeStack(StackFile file, const Value& shared, std::string output, TrainRequest request, bool quiet);

  /// Throws where the folder holds another stack, or something else that this one would replace, where a machine is not the one
  /// that those above it were made from, or cannot be made; reads and writes no more than that takes.
  void check();
  /// Trains what is not trained yet, and writes the stack. False where it was stopped.
  bool go(Terminal& terminal);

  /// What the machines above the first, and fine-tuning, do not take from the shared configuration, nor from the machine below, and
  /// what check() could not look at; nothing where it is to be quiet.
  void tell_what_is_left_out(Terminal& terminal) const;

  std::size_t num_machines() const { return configs_.size(); }
  bool fine_tunes() const { return last_.fine_tuning.has_value(); }
  /// The file of machine `k` by itself, or of a phase after them.
  std::string model(std::size_t k) const { return folder(k) + "/model.h5"; }
  std::string folder(std::size_t k) const;
  std::string model_path() const { return (std::filesystem::path(output_) / "model.h5").string(); }

 private:
  /// Machines, then phases of the training of all layers: runs each of which starts from what those before it made.
  std::size_t num_parts() const { return configs_.size() + last_.joint.size(); }
  /// The name of the folder of one, from 0.
  std::string part(std::size_t k) const;
  /// Leave out of a configuration what it cannot take from the shared one, with a note.
  void leave_out_of_machine(const Value& shared, std::size_t k);
  void leave_out_of_fine_tuning();
  /// Notes on what machine `k` has and those that are made from it do not: bits drawn anew, a best model.
  void note_what_stays_below(std::size_t k);
  std::string fine_tuned_folder() const { return (std::filesystem::path(output_) / "fine_tuned").string(); }
  bool finished(std::size_t k) const { return std::filesystem::exists(model(k)); }
  std::filesystem::path plan_path() const { return std::filesystem::path(output_) / "stack.toml"; }
  Value plan() const;
  /// A plan, this one or what the folder has, as far as that has begun.
  std::string begun(Value plan) const;
  void check_folder() const;
  std::filesystem::path sums_path() const { return std::filesystem::path(output_) / "machines.sha256"; }
  /// What is made from part `k` when all is trained up to it, where that has begun; empty where it has not.
  std::string made_from(std::size_t k) const;
  /// Keeps the checksums of the parts below `end`, before anything is made from them.
  void keep_sums(std::size_t end) const;
  /// Throws ConfigError where part `k` has another than what was made from it.
  void check_unchanged(std::size_t k) const;
  bool trained(std::size_t k, Terminal& terminal);
  bool fine_tuned(Terminal& terminal);
  /// The configuration of a phase of the training of all layers, which the model that it starts from is there for then.
  Value start_of_joint(std::size_t phase) const;
  bool trained_jointly(Terminal& terminal);
  /// Goes on with the run in a folder, or, where there is none, starts that of `config`; false where it was stopped.
  bool run(const std::string& folder, const std::function<Value()>& config, Terminal& terminal);
  Value passed_up(std::size_t k) const;
  JoinRequest join_request(const std::string& output) const;
  void join(const std::string& output) const;

  StackFile file_;
  std::string output_;
  TrainRequest request_;
  bool quiet_;
  std::vector<Value> configs_;  ///< of each machine, as far as it is known before that below is trained
  std::vector<std::string> notes_;
  LastTraining last_;  ///< but for the model that it starts from
};

}  // namespace v1
}  // namespace harmonium
