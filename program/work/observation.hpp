#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/diagnostics/number_with_error.hpp>
#include <harmonium/program/work/shown_temperature.hpp>

namespace harmonium {
inline namespace v1 {

/// One average that `observe` found.
struct ObservedNumber {
  std::string name;
  double value = 0.0, error = 0.0;  ///< one standard error
  double batch_time = 1.0;          ///< autocorrelation time in steps by batch means, which marks go by
  double r_hat = 1.0;
  bool long_enough = true;  ///< whether its series is so long that the error can be believed
  bool odd = false;         ///< as in ThermalAverage
  /// By a window over all chains, in steps; nothing where the series do not tell it, or there are none.
  std::optional<NumberWithError> autocorrelation_time = {};
  /// Of an exact average in whose sum terms cancel about what their absolute values come to: 1e-12 of that is rounding. Else 0.
  double terms = 0.0;
};

/// How often the overlap of two replicas is from `low` to `high`. Chains that were never there do not tell the error: NaN.
struct ObservedOverlap {
  double low = 0.0, high = 0.0, share = 0.0, error = 0.0, width = 0.0;
  bool long_enough = true;

  /// Of q; NaN where there is one value alone.
  double density() const { return width > 0.0 ? share / width : std::numeric_limits<double>::quiet_NaN(); }
};

/// The mean over the sites of a grid of s_i s_j, j being so many sites further along an axis.
struct ObservedCorrelation {
  std::uint64_t axis = 0, distance = 0;
  ObservedNumber number;
};

/// How likely the magnetization is m.
struct ObservedMagnetization {
  double m = 0.0, share = 0.0;
};

/// The mean of a number of one unit: of a site how often it is in state `number`.
struct ObservedUnit {
  std::uint64_t unit = 0, number = 0;
  double value = 0.0, error = 0.0;
  bool long_enough = true;
};

/// The mean of a product of two units, and what of it the means of the two do not explain.
struct ObservedPair {
  std::uint64_t i = 0, j = 0;
  double value = 0.0, error = 0.0, connected = 0.0, connected_error = 0.0;
  bool long_enough = true, connected_long_enough = true;
};

/// How often two sites are in two states.
struct ObservedFrequency {
  std::uint64_t i = 0, j = 0, state_i = 0, state_j = 0;
  double value = 0.0, error = 0.0;
  bool long_enough = true;
};

/// What `observe --local` found at one inverse temperature.
struct ObservedLocally {
  std::vector<ObservedNumber> squares;  ///< their times are NaN
  std::vector<ObservedUnit> units;
  std::vector<ObservedPair> pairs;
  std::vector<ObservedFrequency> frequencies;  ///< where they were asked for
};

/// log(Z at one temperature / Z at a hotter one), in nats.
struct ObservedLogZ {
  double value = 0.0, error = 0.0;  ///< one standard error
  double low = 0.0, high = 0.0;     ///< an interval of 95 %; the value itself where it is exact
  bool long_enough = true;          ///< whether the error can be believed
};

/// What `observe` found at one inverse temperature.
struct ObservedTemperature {
  double beta = 1.0;
  std::vector<ObservedNumber> numbers;
  std::vector<ObservedOverlap> overlaps;
  std::vector<ObservedCorrelation> correlations = {};
  std::vector<ObservedMagnetization> magnetizations = {};  ///< of a sum over all states, of spins of any size
  ObservedLocally local = {};                              ///< where units and pairs were asked for
  std::optional<double> exchange_rate = {};                ///< with the next colder one
  std::optional<ObservedLogZ> log_z_from_hottest = {};     ///< where this is another, and it is known
  std::optional<ObservedLogZ> log_z_from_hotter = {};      ///< from the next hotter one
  std::string moves = {};                                  ///< what the sampler says, where each temperature is alone
};

/// What `observe` found, the hottest temperature first.
struct Observation {
  std::vector<ObservedTemperature> temperatures;
  std::uint64_t num_chains = 0, num_steps = 0, warm_up = 0;
  std::uint64_t least_times = 0;  ///< of the longest autocorrelation time, that make num_steps long enough
  std::uint64_t num_all_units = 0, num_units = 0,
                num_pairs = 0;                   ///< of the model, of the layer, pairs that couple in it
  std::string layer, units;                      ///< its name, and "spins", "numbers" or "sites"
  bool spins_of_bits = false;                    ///< spins are 2x - 1 of units of 0 and 1
  std::string method;                            ///< how chains were run, in words
  std::string step;                              ///< what a step is of, in words; empty: there are no chains
  ShownTemperature shown = {};                   ///< in tables and figures
  std::vector<std::string> clamp;                ///< what was held, as it was given
  std::string local;                             ///< "coupled" or "all"; empty: nothing was asked of units and pairs
  std::string letters;                           ///< of the layer's states, where these are those of sequences
  std::vector<std::uint64_t> grid;               ///< sites along each axis, of --correlations
  bool flips = false;                            ///< a flip of all units leaves the law as it is
  bool checkerboard = false;                     ///< each coupling joins sites of opposite sign in m_s
  bool few_states = false;                       ///< so few that `evaluate` has the energy exactly
  bool sampler_named = false;                    ///< so that each temperature was sampled by itself
  bool integrated = false;                       ///< with the sum over states, Gaussian units were integrated over
  std::optional<std::uint64_t> num_states = {};  ///< that were summed over: averages are exact, and there are no chains
  std::optional<std::uint64_t> round_trips = {};  ///< of all ladders, from the coldest to the hottest and back
  bool gaps_told = false;                         ///< of a ladder, with what to do about them
  std::uint64_t least_round_trips = 0;            ///< of which fewer are few
  std::vector<std::string> files;                 ///< that were written
  std::string series, order;  ///< file of the series, and what the order is called; empty: not asked
};

}  // namespace v1
}  // namespace harmonium
