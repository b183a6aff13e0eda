#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/program/settings.hpp>

namespace harmonium {
inline namespace v1 {

/// A dotted key, as --set has it, and the values that it takes.
struct SweepAxis {
  std::string key;
  std::vector<Value> values;
};

/// The range of a key that is drawn.
struct SweepRange {
  std::string key, where;
  double low = 0.0, high = 0.0;
  bool log = false, integer = false;
};

/// What a table of the list sets, in its order.
using SweepPoint = Settings;

/// What SWEEP.toml says.
struct SweepFile {
  std::string base;  ///< the configuration, from here on
  std::vector<SweepPoint> list;
  std::vector<SweepAxis> grid;
  std::size_t num_points = 0;  ///< of the ranges
  std::vector<SweepRange> random;
  std::vector<Value> seeds;  ///< whole numbers; none: the base's
  Value data_seed;           ///< a whole number, in place of the base's; or empty
  Value slurm;               ///< a table, or empty
};

/// Reads it. Throws ConfigError, with the place, for what is no sweep.
SweepFile read_sweep(const std::string& path);

}  // namespace v1
}  // namespace harmonium
