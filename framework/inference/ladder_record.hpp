#pragma once

#include <span>
#include <string>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/model/chains.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// D = E − E₀ of the rows of tempering ladders at each rung, over time: all that log Z needs of them, the density at β being
/// exp(−β D − E₀) but for a constant.
struct LadderRecord {
  std::vector<double> betas;  ///< of each rung, the target's first, descending
  Index num_ladders = 0, num_times = 0;
  bool starts_apart = false;        ///< ladders 1, 3, 5, … began at the lowest D that was met (LadderStart::apart)
  std::vector<double> differences;  ///< by rung, ladder, time

  LadderRecord() = default;
  LadderRecord(std::vector<double> b, Index ladders, Index times)
      : betas(std::move(b)), num_ladders(ladders), num_times(times), differences(betas.size() * ladders * times) {}

  /// D of each row of `chains`, where betas.size() neighbors are a ladder, at the rung where it stands, as the values of time
  /// `nth`. An exchange leaves the law of each rung as it is: what was found before it counts at the rungs after it.
  void add(const Chains& chains, Index nth, std::span<const double> of_rows);
  /// Of one ladder at one rung, in the order of time.
  std::span<double> at(Index rung, Index ladder) {
    return std::span(differences).subspan((rung * num_ladders + ladder) * num_times, num_times);
  }
  /// Of all ladders.
  std::span<const double> at(Index rung) const {
    return std::span(differences).subspan(rung * num_ladders * num_times, num_ladders * num_times);
  }
  /// Without one ladder; every other rung alone.
  LadderRecord without(Index ladder) const;
  LadderRecord every_other_rung() const;
  /// The ladders first, first + 2, first + 4, … alone: one kind of those that began apart.
  LadderRecord every_other_ladder(Index first) const;
};

/// At how many times of a walk of `steps` transitions D of `rows` rows is recorded: of a usual one at 20 to 200, as 40,000 values
/// allow, of one that is so many times `longer`, as it was asked to be or had to be, at so many times as many. Else they would lie
/// farther apart the longer it is, and an estimate from what was recorded would be no better for it.
Index recorded_times(Index rows, Index steps, double longer = 1.0);
/// Most values of all rows at these times, for memory().
double most_recorded(double rows, double longer);
/// Bytes of so many values and, on each thread that the machine has, of a copy without one of the ladders.
double record_bytes(double values, Index num_ladders);

// log(Z at the first rung / Z at the last) by what a record holds.

/// The sum over neighbors of Bennett's acceptance ratio (Bennett 1976).
double bennett_of(const LadderRecord& record);
/// All rungs at once, each draw counting at all of them (Shirts & Chodera 2008): the f_k = −log Z_k that solve
///   exp(−f_k) = Σ_n exp(−β_k D_n) / Σ_l N_l exp(f_l − β_l D_n).
double multistate_of(const LadderRecord& record);
/// log Z = log Z₀ − ∫ ⟨D⟩ dβ (Kirkwood 1935), ⟨D⟩ between rungs a cubic by its values and slopes, d⟨D⟩/dβ = −var D.
double integral_of(const LadderRecord& record);

/// How many draws count in Bennett's ratio of the neighbors that overlap least (OneSided::effective_sample_size).
double least_overlap(const LadderRecord& record);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
