#pragma once

#include <string>

#include <harmonium/framework/execution/display.hpp>

namespace harmonium {
inline namespace v1 {

/// Shows a part of some work as such: what is from 0 to 1 here goes from `begin` to `end` on `whole`, which may be null. What
/// the part says of itself stands behind what is said of the whole; a part without a name is a stretch of it.
class PartOfWork final : public Display {
 public:
  PartOfWork(Display* whole, double begin, double end, std::string what)
      : whole_(whole), begin_(begin), end_(end), what_(std::move(what)) {}

  void note(const std::string& line) override {
    if (whole_) whole_->note(line);
  }
  void warn(const std::string& line) override {
    if (whole_) whole_->warn(line);
  }
  void progress(double fraction, const std::string& what) override {
    const std::string between = what_.empty() || what.empty() ? "" : ", ";
    if (whole_) whole_->progress(begin_ + fraction * (end_ - begin_), what_ + between + what);
  }
  void finish() override {}

 private:
  Display* whole_;
  double begin_, end_;
  std::string what_;
};

}  // namespace v1
}  // namespace harmonium
