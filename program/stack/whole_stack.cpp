#include <harmonium/program/stack/whole_stack.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include <harmonium/cli/text.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/sha256.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/stack/fine_tuning.hpp>
#include <harmonium/program/stack/joint_training.hpp>
#include <harmonium/program/stack/part_names.hpp>
#include <harmonium/program/stack/stack_check.hpp>
#include <harmonium/program/training.hpp>

namespace harmonium {
inline namespace v1 {

namespace fs = std::filesystem;

WholeStack::WholeStack(StackFile file, const Value& shared, std::string output, TrainRequest request, bool quiet)
    : file_(std::move(file)), output_(std::move(output)), request_(std::move(request)), quiet_(quiet) {
  request_.set
      .clear();  // they are in the configurations, as are the length and the seed; each machine may have its own
  request_.epochs.reset();
  request_.seed.reset();
  for (std::size_t k = 0; k < file_.machines.size(); ++k) {
    configs_.push_back(config_of_machine(file_, shared, k));
    if (k > 0) leave_out_of_machine(shared, k);
    note_what_stays_below(k);
  }
  if (file_.fine_tune) {
    last_.fine_tuning = config_of_fine_tuning(file_, shared);
    leave_out_of_fine_tuning();
  }
  if (!file_.joint.empty()) last_.joint = configs_of_joint(file_, shared, configs_);
}

std::string WholeStack::part(std::size_t k) const {
  return k < configs_.size() ? machine_folder(k) : joint_folder(k - configs_.size());
}

std::string WholeStack::folder(std::size_t k) const { return (fs::path(output_) / part(k)).string(); }

/// All that the machines are made from, so that no other stack is taken for this one.
Value WholeStack::plan() const {
  Value machines;
  machines.data = Value::List(configs_.begin(), configs_.end());
  Value all = make_table({{"passed_up", make_value(file_.draws ? "draws" : "means")},
                          {"start", make_value(file_.transposed ? "transposed" : "initializer")},
                          {"machines", std::move(machines)}});
  if (last_.fine_tuning) all.set("fine_tune", *last_.fine_tuning);
  if (last_.joint.size() == 1) all.set("joint", last_.joint.front());
  if (last_.joint.size() > 1) all.set("joint", Value{Value::List(last_.joint.begin(), last_.joint.end()), ""});
  return all;
}

/// A plan as far as it has begun: until then fine-tuning may be another one, or none, and so may a phase.
std::string WholeStack::begun(Value plan) const {
  if (!fs::exists(fine_tuned_folder())) plan.erase("fine_tune");
  std::size_t phases = 0;
  while (fs::exists(folder(configs_.size() + phases) + "/config.toml")) ++phases;
  Value* joint = plan.find("joint");
  auto* several = joint ? std::get_if<Value::List>(&joint->data) : nullptr;
  if (several && phases > 1) several->resize(std::min(several->size(), phases));
  else if (several) *joint = Value(several->front());
  // Without any it still says that the machines are parts of a deep one.
  if (joint && phases == 0) *joint = make_value(true);
  return write_toml(plan);
}

/// Before anything else a stack has its plan.
void WholeStack::check_folder() const {
  if (fs::exists(plan_path())) return;
  for (const char* own :
       {"config.toml", "model.h5", "machine1", "passed_up1", "greedy.h5", "fine_tuned", "start.h5", "joint"})
    if (fs::exists(fs::path(output_) / own))
      throw ConfigError(fmt::format(
          "--output {}: the folder holds '{}' and no stack (no stack.toml) that it is of. Name another folder, or "
          "move that.",
          output_, own));
}

std::string WholeStack::made_from(std::size_t k) const {
  if (k + 1 < num_parts()) return fs::exists(folder(k + 1) + "/config.toml") ? part(k + 1) : "";
  return fs::exists(fs::path(output_) / "greedy.h5") ? "greedy.h5" : "";
}

void WholeStack::keep_sums(std::size_t end) const {
  std::string text, line;
  std::ifstream before(sums_path());
  for (std::size_t k = 0; k < end; ++k) text += fmt::format("{}  {}/model.h5\n", sha256_of_file(model(k)), part(k));
  // What was made from those above is still there, or is made anew with their sums.
  for (std::size_t k = 0; std::getline(before, line); ++k)
    if (k >= end) text += line + "\n";
  before.close();
  write_file_atomically(sums_path(), text);
}

void WholeStack::check_unchanged(std::size_t k) const {
  const std::string made = made_from(k);
  if (made.empty() || !finished(k)) return;
  std::ifstream sums(sums_path());
  std::string line;
  for (std::size_t n = 0; n <= k; ++n)
    if (!std::getline(sums, line)) return;  // of a stack that kept none
  if (line.starts_with(sha256_of_file(model(k)))) return;
  throw ConfigError(fmt::format(
      "{}: another model than the one that '{}' was made from ({} has the checksum of that). Put that one back, "
      "or remove '{}', and what was made from it in turn, to have them made anew.",
      model(k), made, sums_path().string(), made));
}

void WholeStack::check() {
  check_folder();
  if (fs::exists(plan_path()) && begun(read_toml(plan_path().string())) != begun(plan()))
    throw ConfigError(
        fmt::format("{}: the folder holds another stack, or this one with other settings ({} has them). Name another "
                    "--output, or remove it.",
                    output_, plan_path().string()));
  for (std::size_t k = 0; k < num_parts(); ++k) check_unchanged(k);
  if (!finished(0)) std::ranges::copy(check_stack(configs_, last_, request_), std::back_inserter(notes_));
}

bool WholeStack::go(Terminal& terminal) {
  fs::create_directories(output_);
  const std::string whole = write_toml(plan());
  if (!fs::exists(plan_path()) || write_toml(read_toml(plan_path().string())) != whole)
    write_file_atomically(plan_path(), whole);
  for (std::size_t k = 0; k < configs_.size(); ++k) {
    if (!finished(k) && !trained(k, terminal)) return false;
    check_unchanged(k);
  }
  if (!last_.joint.empty()) return trained_jointly(terminal);
  if (last_.fine_tuning) return fine_tuned(terminal);
  join(model_path());
  return true;
}

bool WholeStack::trained(std::size_t k, Terminal& terminal) {
  if (!quiet_) say(fmt::format("harmonium: machine {} of {}", k + 1, configs_.size()));
  return run(
      folder(k), [&] { return k == 0 ? configs_[0] : passed_up(k); }, terminal);
}

bool WholeStack::fine_tuned(Terminal& terminal) {
  const std::string own = fine_tuned_folder(), model = own + "/model.h5";
  const std::string greedy = (fs::path(output_) / "greedy.h5").string();
  if (!fs::exists(greedy)) {
    keep_sums(configs_.size());
    join(greedy);
  }
  if (!fs::exists(model)) {
    if (!quiet_) say("harmonium: fine-tuning all machines");
    if (!run(
            own, [&] { return fine_tuning_of(*last_.fine_tuning, greedy); }, terminal))
      return false;
  }
  copy_model(model, model_path());
  return true;
}

bool WholeStack::run(const std::string& folder, const std::function<Value()>& config, Terminal& terminal) {
  TrainRequest request = request_;
  request.output = folder;
  request.rows_are = rows_of_machine(folder);
  if (fs::exists(folder + "/config.toml"))
    return run_training(resumed(folder, request), request, true, terminal, "", false) == 0;
  request.config = config();
  request.overwrite = true;  // what a kill has left before there was a configuration
  return train(request, terminal, true, false) == 0;
}

Value WholeStack::start_of_joint(std::size_t phase) const {
  Value config = last_.joint[phase];
  const std::size_t below = configs_.size() + phase;
  keep_sums(below);
  if (phase > 0) {
    config.set("start_from", make_value(fs::absolute(model(below - 1)).string()));
    return config;
  }
  const std::string start = fs::absolute(fs::path(output_) / "start.h5").string();
  program(precision_of_model(model(0))).compose_deep(join_request(start), *config.find("model"));
  // Joined machines have not learned the law of all layers.
  config.set("start_from", make_table({{"path", make_value(start)}, {"burn_in", make_value(std::int64_t{0})}}));
  return config;
}

bool WholeStack::trained_jointly(Terminal& terminal) {
  const std::size_t phases = last_.joint.size();
  for (std::size_t phase = 0; phase < phases; ++phase) {
    const std::size_t k = configs_.size() + phase;
    if (!quiet_)
      say("harmonium: all layers at once" + (phases == 1 ? "" : fmt::format(", phase {} of {}", phase + 1, phases)));
    if (!finished(k) && !run(
                            folder(k), [&] { return start_of_joint(phase); }, terminal))
      return false;
    check_unchanged(k);
  }
  copy_model(model(num_parts() - 1), model_path());
  return true;
}

Value WholeStack::passed_up(std::size_t k) const {
  keep_sums(k);
  PassUpRequest request;
  static_cast<CommonRequest&>(request) = static_cast<const CommonRequest&>(request_);
  request.model = model(k - 1);
  request.folder = fs::absolute(fs::path(output_) / ("passed_up" + std::to_string(k))).string();
  request.next = configs_[k];
  request.draws = file_.draws;
  request.transposed = file_.transposed;
  request.doubled = !last_.joint.empty() && k == 1;
  PassedUp passed = program(precision_of_model(request.model)).pass_up(request);
  if (!quiet_)
    say(fmt::format("harmonium: machine {} starts {}", k + 1,
                    passed.transposed ? "as the one below turned over" : "by its initializer"));
  return std::move(passed.config);
}

JoinRequest WholeStack::join_request(const std::string& output) const {
  JoinRequest request;
  static_cast<CommonRequest&>(request) = static_cast<const CommonRequest&>(request_);
  for (std::size_t k = 0; k < configs_.size(); ++k) request.models.push_back(model(k));
  request.output = output;
  return request;
}

void WholeStack::join(const std::string& output) const {
  const JoinRequest request = join_request(output);
  program(precision_of_model(request.models.front())).join_machines(request);
}

}  // namespace v1
}  // namespace harmonium
