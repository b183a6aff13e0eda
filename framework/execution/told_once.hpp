#pragma once

#include <set>
#include <string>

#include <harmonium/framework/execution/display.hpp>

namespace harmonium {
inline namespace v1 {

/// Lets each line through once, however often it is told: work that is done several times in turn says the same each time.
/// `whole` may be null.
class ToldOnce final : public Display {
 public:
  explicit ToldOnce(Display* whole) : whole_(whole) {}

  void note(const std::string& line) override {
    if (whole_ && told_.insert(line).second) whole_->note(line);
  }
  void warn(const std::string& line) override {
    if (whole_ && told_.insert(line).second) whole_->warn(line);
  }
  void progress(double fraction, const std::string& what) override {
    if (whole_) whole_->progress(fraction, what);
  }
  void finish() override {
    if (whole_) whole_->finish();
  }

 private:
  Display* whole_;
  std::set<std::string> told_;
};

}  // namespace v1
}  // namespace harmonium
