#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/training/measured_figure.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A figure that a run goes by: which one, and which way it is better.
struct FollowOptions {
  std::optional<std::string> metric = {};  ///< none: nothing is followed
  Goal goal = Goal::automatic;

  void bind(OptionBinder& o, std::string_view metric_help);
  void validate() const;
};

/// Keeping the best model.
struct KeepBestOptions {
  FollowOptions follow = {};

  void bind(OptionBinder& o);
  void validate() const { follow.validate(); }
};

/// Ending the run when a figure has not become better for so many of its values.
struct StopEarlyOptions {
  FollowOptions follow = {};
  std::optional<Index> patience = {};  ///< 5 unless given

  void bind(OptionBinder& o);
  void validate() const;
};

/// The figure that is asked for, its goal settled. `option` is the name for messages, `epochs` the length of the run. Throws
/// ConfigError("what is wrong. What to do.") where the run does not measure it, or never comes to, or where it is not known
/// which way it is better.
MeasuredFigure followed(const FollowOptions& asked, const char* option, const std::vector<MeasuredFigure>& measured,
                        std::uint64_t epochs);

/// Whether a value is better than another by more than `margin`.
bool better(Goal goal, double value, double than, double margin = 0.0);
/// The value of a figure in a record; none where it was not measured.
std::optional<double> value_of(const MetricRecord& record, const std::string& name);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
