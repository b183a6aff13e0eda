#include <harmonium/program/stack/whole_stack.hpp>

#include <utility>

#include <fmt/format.h>

#include <harmonium/cli/text.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/stack/stack_check.hpp>
#include <harmonium/program/training.hpp>

namespace harmonium {
inline namespace v1 {

namespace fs = std::filesystem;

WholeStack::WholeStack(StackFile file, const Value& shared, std::string output, TrainRequest request, bool quiet)
    : file_(std::move(file)), output_(std::move(output)), request_(std::move(request)), quiet_(quiet) {
  for (std::size_t k = 0; k < file_.machines.size(); ++k) configs_.push_back(config_of_machine(file_, shared, k));
}

std::string WholeStack::folder(std::size_t k) const {
  return (fs::path(output_) / ("machine" + std::to_string(k + 1))).string();
}

/// All that the machines are made from, so that no other stack is taken for this one.
std::string WholeStack::plan() const {
  Value machines;
  machines.data = Value::List(configs_.begin(), configs_.end());
  return write_toml(make_table({{"passed_up", make_value(file_.draws ? "draws" : "means")},
                                {"start", make_value(file_.transposed ? "transposed" : "initializer")},
                                {"machines", std::move(machines)}}));
}

void WholeStack::check() const {
  if (fs::exists(plan_path()) && write_toml(read_toml(plan_path().string())) != plan())
    throw ConfigError(
        fmt::format("{}: the folder holds another stack, or this one with other settings ({} has them). Name another "
                    "--output, or remove it.",
                    output_, plan_path().string()));
  if (!finished(0)) check_stack(configs_, file_, request_);
}

bool WholeStack::go(Terminal& terminal) {
  fs::create_directories(output_);
  if (!fs::exists(plan_path())) write_file_atomically(plan_path(), plan());
  for (std::size_t k = 0; k < configs_.size(); ++k)
    if (!finished(k) && !trained(k, terminal)) return false;
  join();
  return true;
}

/// Trains machine k, or goes on with it; false where it was stopped.
bool WholeStack::trained(std::size_t k, Terminal& terminal) {
  TrainRequest request = request_;
  request.output = folder(k);
  request.set.clear();  // they are in the configurations
  if (!quiet_) say(fmt::format("harmonium: machine {} of {}", k + 1, configs_.size()));
  if (fs::exists(folder(k) + "/config.toml"))
    return run_training(resumed(folder(k), request), request, true, terminal, "", false) == 0;
  request.config = k == 0 ? configs_[0] : passed_up(k);
  request.overwrite = true;  // what a kill has left before there was a configuration
  return train(request, terminal, true, false) == 0;
}

Value WholeStack::passed_up(std::size_t k) const {
  PassUpRequest request;
  static_cast<CommonRequest&>(request) = request_;
  request.set.clear();
  request.model = model(k - 1);
  request.folder = fs::absolute(fs::path(output_) / ("passed_up" + std::to_string(k))).string();
  request.next = configs_[k];
  request.draws = file_.draws;
  request.transposed = file_.transposed;
  PassedUp passed = program(precision_of_model(request.model)).pass_up(request);
  if (!quiet_)
    say(fmt::format("harmonium: machine {} starts {}", k + 1,
                    passed.transposed ? "as the one below turned over" : "by its initializer"));
  return std::move(passed.config);
}

void WholeStack::join() const {
  JoinRequest request;
  static_cast<CommonRequest&>(request) = request_;
  request.set.clear();
  for (std::size_t k = 0; k < configs_.size(); ++k) request.models.push_back(model(k));
  request.output = model_path();
  program(precision_of_model(request.models.front())).join_machines(request);
}

}  // namespace v1
}  // namespace harmonium
