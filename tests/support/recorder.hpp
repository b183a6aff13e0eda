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
  void progress(double fraction, const std::string&) override { shares.push_back(fraction); }
  void finish() override {}
  std::vector<std::string> notes, warnings;
  std::vector<double> shares;  ///< of the work that was done
};

}  // namespace harmonium::testing
