#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <harmonium/cli/terminal.hpp>
#include <harmonium/framework/run/request.hpp>

namespace harmonium {
inline namespace v1 {

/// A command of the program: what the command line says of it, and what it does.
class Command {
 public:
  /// `more` stands behind its options in its help, and `examples` at the end: lines for a shell, in a folder with config.toml, data.csv
  /// and test.csv, sweep.toml, model.h5, the runs first and second in runs/, glass.h5, and the edges glass.txt and maxcut.txt.
  Command(const char* name, const char* summary, const char* more = "", std::vector<const char*> examples = {})
      : name_(name), summary_(summary), more_(more), examples_(std::move(examples)) {}
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  const char* name() const { return name_; }
  const char* summary() const { return summary_; }
  const char* more() const { return more_; }
  const std::vector<const char*>& examples() const { return examples_; }

  /// Declares its arguments and options, which this keeps.
  virtual void declare(CLI::App& command) = 0;
  /// Throws ConfigError where they do not go together; called once they have been read.
  virtual void settle() {}
  /// Does it, and returns the exit status.
  virtual int run(Terminal& terminal) = 0;
  /// Whether it was asked for a file; asked once it has settled. Of others a signal that ends them is not said to leave none.
  virtual bool writes_files() const { return true; }
  /// What it has in common with others that run a model; null where it has nothing.
  virtual CommonRequest* common() { return nullptr; }
  bool quiet() const { return quiet_; }

 protected:
  bool quiet_ = false;

 private:
  const char *name_, *summary_, *more_;
  std::vector<const char*> examples_;
};

/// One that makes a request of a precision.
template <class Request>
class RequestCommand : public Command {
 public:
  using Command::Command;
  CommonRequest* common() final { return &request_; }

 protected:
  Request request_;
};

using Commands = std::vector<std::unique_ptr<Command>>;

}  // namespace v1
}  // namespace harmonium
