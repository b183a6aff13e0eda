#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/about_so_long.hpp>
#include <harmonium/framework/execution/display.hpp>
#include <harmonium/program/work/log_z_advice.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Passes on what some work says of itself and, where it turns out to be long, says once how long: after `before` seconds, by its pace
/// so far, where at least `least` seconds are left.
class ForecastOnce final : public Display {
 public:
  static constexpr double before = 5.0, least = 20.0;
  /// `whole` may be null; `what`: "log Z of the first machine"; `now`: seconds, by a clock that never goes back.
  ForecastOnce(Display* whole, std::string what, std::function<double()> now)
      : whole_(whole), what_(std::move(what)), now_(std::move(now)) {}

  void note(const std::string& line) override {
    if (whole_) whole_->note(line);
  }
  void warn(const std::string& line) override {
    if (whole_) whole_->warn(line);
  }
  void progress(double fraction, const std::string& what) override {
    if (!whole_) return;
    whole_->progress(fraction, what);
    if (told_) return;
    if (!first_) first_ = Seen{fraction, now_()};
    const double elapsed = now_() - first_->now, done = fraction - first_->share;
    if (elapsed < before || done <= 0.0) return;
    const double left = elapsed * (1.0 - fraction) / done;
    if (left < least) return;
    told_ = true;
    whole_->warn(fmt::format("{} takes some {} more at its pace so far.", what_, about_so_long(left)));
  }
  void finish() override {}

 private:
  Display* whole_;
  std::string what_;
  std::function<double()> now_;
  struct Seen {
    double share = 0.0, now = 0.0;
  };
  std::optional<Seen> first_;
  bool told_ = false;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
