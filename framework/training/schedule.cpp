#include <harmonium/framework/training/schedule.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// How much of the decaying part of the run has passed.
double decay(const Progress& progress, double hold) {
  return std::clamp((progress.fraction() - hold) / (1.0 - hold), 0.0, 1.0);
}

}  // namespace

Schedule::~Schedule() = default;

void LinearSchedule::Options::bind(OptionBinder& o) {
  o.option("final", final, "factor at the end of the run", within(0, 1));
  o.option("hold", hold, "part of the run before the decay begins", within(0, 0.999));
}
double LinearSchedule::factor(const Progress& progress) const {
  return 1.0 + (options_.final - 1.0) * decay(progress, options_.hold);
}

double CosineSchedule::factor(const Progress& progress) const {
  return options_.final +
         (1.0 - options_.final) * 0.5 * (1.0 + std::cos(std::numbers::pi * decay(progress, options_.hold)));
}

void ExponentialSchedule::Options::bind(OptionBinder& o) {
  o.option("final", final, "factor at the end of the run", within(1e-12, 1));
}
double ExponentialSchedule::factor(const Progress& progress) const {
  return std::pow(options_.final, progress.fraction());
}

void PowerSchedule::Options::bind(OptionBinder& o) {
  o.option("time", time, "epochs after which the rate has halved (power 1)", more_than(0));
  o.option("power", power, "exponent", more_than(0));
}
double PowerSchedule::factor(const Progress& progress) const {
  return std::pow(1.0 + progress.epoch() / options_.time, -options_.power);
}

void StepSchedule::Options::bind(OptionBinder& o) {
  o.option("factor", factor, "factor at each step", within(0, 1));
  o.option("every", every, "epochs between steps", more_than(0));
}
double StepSchedule::factor(const Progress& progress) const {
  return std::pow(options_.factor, std::floor(progress.epoch() / options_.every));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
