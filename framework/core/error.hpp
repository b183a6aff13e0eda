#pragma once

#include <stdexcept>
#include <string>

namespace harmonium {
inline namespace v1 {

/// Every error that Harmonium throws on purpose. The message follows one grammar:
///   place: component 'name': problem (why it is one). What to do.
/// `exit_status` is what the program ends with: 2 for a mistake in the command line, the configuration, or in what the
/// configuration asks of the data; 1 for what fails at run time.
class Error : public std::runtime_error {
 public:
  Error(const std::string& what, int exit_status) : std::runtime_error(what), exit_status_(exit_status) {}
  ~Error() override;
  int exit_status() const { return exit_status_; }

 private:
  int exit_status_;
};

/// A configuration, an option or a command line that cannot be meant.
class ConfigError final : public Error {
 public:
  explicit ConfigError(const std::string& what) : Error(what, 2) {}
  ~ConfigError() override;
};

/// Components that cannot serve each other; thrown when a run is assembled.
class CapabilityError final : public Error {
 public:
  explicit CapabilityError(const std::string& what) : Error(what, 2) {}
  ~CapabilityError() override;
};

/// A file whose content is not what it claims to be: truncated, mislabeled, holding values that are not numbers.
class DataError final : public Error {
 public:
  explicit DataError(const std::string& what) : Error(what, 1) {}
  ~DataError() override;
};

/// The operating system refused to read or write: no such folder, no permission, no space.
class FileError final : public Error {
 public:
  explicit FileError(const std::string& what) : Error(what, 1) {}
  ~FileError() override;
};

/// Numbers left the domain in which the mathematics holds: a diverged run, an indefinite precision.
class NumericalError final : public Error {
 public:
  explicit NumericalError(const std::string& what) : Error(what, 1) {}
  ~NumericalError() override;
};

/// Work that was ended before it was done, by a signal.
class Stopped final : public Error {
 public:
  Stopped() : Error("stopped by a signal; no file was written.", 1) {}
  ~Stopped() override;
};

/// A plugin that cannot be loaded or enrolled.
class PluginError : public Error {
 public:
  explicit PluginError(const std::string& what) : Error(what, 2) {}
  ~PluginError() override;
};

}  // namespace v1
}  // namespace harmonium
