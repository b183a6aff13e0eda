#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/execution/display.hpp>

namespace harmonium::testing {

/// A display that keeps what it is told.
class Recorder final : public Display {
 public:
  void note(const std::string& line) override { notes.push_back(line); }
  void warn(const std::string& line) override { warnings.push_back(line); }
  void progress(double, const std::string&) override {}
  void finish() override {}
  std::vector<std::string> notes, warnings;
};

}  // namespace harmonium::testing
