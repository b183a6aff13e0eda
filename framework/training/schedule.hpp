#pragma once

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Where a run is: what schedules go by.
struct Progress {
  std::uint64_t update = 0;       ///< updates made before this one
  std::uint64_t num_updates = 1;  ///< of the whole run
  std::uint64_t updates_per_epoch = 1;

  double fraction() const { return static_cast<double>(update) / static_cast<double>(num_updates); }
  double epoch() const { return static_cast<double>(update) / static_cast<double>(updates_per_epoch); }
};

/// The factor on the learning rate at each update.
class Schedule {
 public:
  static constexpr const char* kind = "schedule";
  virtual ~Schedule();
  virtual double factor(const Progress& progress) const = 0;
};

/// 1 throughout.
class ConstantSchedule final : public Schedule {
 public:
  struct Options {
    void bind(OptionBinder&) {}
  };
  explicit ConstantSchedule(Options) {}
  double factor(const Progress&) const override { return 1.0; }
};

/// From 1 to `final` in a straight line, after `hold` of the run.
class LinearSchedule final : public Schedule {
 public:
  struct Options {
    double final = 0.0, hold = 0.0;
    void bind(OptionBinder& o);
  };
  explicit LinearSchedule(Options options) : options_(options) {}
  double factor(const Progress& progress) const override;

 private:
  Options options_;
};

/// From 1 to `final` along half a cosine, after `hold` of the run (Loshchilov & Hutter 2017, without restarts).
class CosineSchedule final : public Schedule {
 public:
  using Options = LinearSchedule::Options;
  explicit CosineSchedule(Options options) : options_(options) {}
  double factor(const Progress& progress) const override;

 private:
  Options options_;
};

/// From 1 to `final`, by the same ratio at each update.
class ExponentialSchedule final : public Schedule {
 public:
  struct Options {
    double final = 0.01;
    void bind(OptionBinder& o);
  };
  explicit ExponentialSchedule(Options options) : options_(options) {}
  double factor(const Progress& progress) const override;

 private:
  Options options_;
};

/// 1 / (1 + t / τ)^power, t and τ in epochs: with power 1 the Robbins–Monro rate.
class PowerSchedule final : public Schedule {
 public:
  struct Options {
    double time = 10.0, power = 1.0;
    void bind(OptionBinder& o);
  };
  explicit PowerSchedule(Options options) : options_(options) {}
  double factor(const Progress& progress) const override;

 private:
  Options options_;
};

/// `factor` to the number of whole `every` epochs that have passed.
class StepSchedule final : public Schedule {
 public:
  struct Options {
    double factor = 0.1, every = 10.0;
    void bind(OptionBinder& o);
  };
  explicit StepSchedule(Options options) : options_(options) {}
  double factor(const Progress& progress) const override;

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
