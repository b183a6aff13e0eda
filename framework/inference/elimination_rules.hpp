#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/inference/energy_moments.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

// What entries of the tables of an elimination are, how those of several tables are put together, and how the states of a unit
// become one entry. Each rule has
//   chooses               whether the best state of a unit is kept for each entry
//   scaled                whether entries have weights, of which a table's have a power of two as their common factor
//   of(energy, lowest)    the entry of an energy; of weights that of e^(−β lowest) is 1
//   add(entry, other)     both tables together
//   joined(states)        all states of a unit together
//   result(entry)         what the last entry comes to; its weight is log Z, or minus the least energy

/// Sums of weights, in logarithms.
struct LogSum {
  using Entry = double;
  static constexpr bool chooses = false, scaled = false;
  double beta;

  Entry of(double energy, double) const { return -beta * energy; }
  static void add(Entry& entry, Entry other) { entry += other; }
  static Entry joined(std::span<const Entry> states) { return logsumexp(states); }
  static WeighedEnergy result(Entry entry) { return {entry, 0.0, 0.0}; }
};

/// The best state is kept: entries are minus the least energy.
struct Least {
  using Entry = double;
  static constexpr bool chooses = true, scaled = false;

  static Entry of(double energy, double) { return -energy; }
  static void add(Entry& entry, Entry other) { entry += other; }
  static Entry joined(std::span<const Entry> states) { return *std::ranges::max_element(states); }
  static WeighedEnergy result(Entry entry) { return {entry, 0.0, 0.0}; }
};

/// Sums of weights, in logarithms, with the moments of the energy.
struct LogEnergySum {
  using Entry = WeighedEnergy;
  static constexpr bool chooses = false, scaled = false;
  double beta;

  Entry of(double energy, double) const { return {-beta * energy, energy, 0.0}; }
  static void add(Entry& entry, const Entry& other) { entry += other; }
  static Entry joined(std::span<const Entry> states) { return mixture(states); }
  static WeighedEnergy result(const Entry& entry) { return entry; }
};

/// Sums of weights.
struct ScaledSum {
  using Entry = double;
  static constexpr bool chooses = false, scaled = true;
  double beta;

  Entry of(double energy, double lowest) const { return std::exp(-beta * (energy - lowest)); }
  static void add(Entry& entry, Entry other) { entry *= other; }
  static Entry joined(std::span<const Entry> states) {
    Entry sum = 0.0;
    for (const Entry s : states) sum += s;
    return sum;
  }
  static double& weight(Entry& entry) { return entry; }
  static WeighedEnergy result(Entry entry) { return {std::log(entry), 0.0, 0.0}; }
};

/// Sums of weights with the moments of the energy.
struct ScaledEnergySum {
  struct Entry {
    double weight, mean, variance;
  };
  static constexpr bool chooses = false, scaled = true;
  double beta;

  Entry of(double energy, double lowest) const { return {std::exp(-beta * (energy - lowest)), energy, 0.0}; }
  static void add(Entry& entry, const Entry& other) {
    entry.weight *= other.weight;
    entry.mean += other.mean;
    entry.variance += other.variance;
  }
  static Entry joined(std::span<const Entry> states) {
    Entry all{0.0, 0.0, 0.0};
    for (const Entry& s : states) {
      all.weight += s.weight;
      all.mean += s.weight * s.mean;
    }
    const double share = 1.0 / all.weight;
    all.mean *= share;
    for (const Entry& s : states) all.variance += s.weight * (s.variance + (s.mean - all.mean) * (s.mean - all.mean));
    all.variance *= share;
    return all;
  }
  static double& weight(Entry& entry) { return entry.weight; }
  static WeighedEnergy result(const Entry& entry) { return {std::log(entry.weight), entry.mean, entry.variance}; }
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
