#pragma once

#include <limits>
#include <vector>

#include <harmonium/estimators/log_partition/ais.hpp>
#include <harmonium/estimators/log_partition/annealing_path.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The mean over rows of log Z_r = log Σ exp(−E) over what is not held of row r, by annealing from both sides of each row.
/// By Jensen's inequality the log mean weight of forward walks is too low on average, and that of backward walks from draws
/// of p(free | held) too high (Grosse, Ghahramani & Adams 2015): the interval reaches from the mean of the one to that of
/// the other, each with its error. Few walks a row do, since errors of rows cancel in their mean.
class HeldAnnealings {
 public:
  /// `reversal`: that of the options' sampler.
  HeldAnnealings(const AisOptions& options, Sampler& reversal, const EnergyModel& model, double end, const Chains& rows,
                 const HeldMask& held, const Execution& execution)
      : options_(options),
        reversal_(reversal),
        model_(model),
        end_(end),
        rows_(rows),
        held_(held),
        execution_(execution) {}

  LogPartitionEstimate mean();

 private:
  /// What each of some rows came to: log Z_r by forward walks, backward walks, and both.
  struct Sides {
    std::vector<double> forward, backward, both;
  };
  using Which = std::span<const Index>;

  /// Each of the rows, `times` in a row.
  static std::vector<Index> repeated(Which which, Index times);
  Chains chains_of(Which which) const;
  Target target(const AnnealingBase& base, const HeldMask& held) const {
    return {.model = model_, .base = base.model(), .held = &held};
  }
  AnnealingPath path_from(const AnnealingBase& base, Which which, const Execution& execution) const;
  /// `walks` of each row, by a ladder of its own.
  ModelDraws draw(const std::vector<double>& ladder, Which which, Index walks, const Execution& execution) const;
  /// `draws`: as many of each row as walks are made of it.
  Sides measure(const AnnealingBase& base, const std::vector<double>& betas, Which which, const ModelDraws& draws,
                const Execution& execution) const;
  void measure_all(const AnnealingBase& base, const AnnealingPath& path, const std::vector<double>& ladder, Which all);
  /// Holds two bases against each other on some rows.
  void compare(const Sides& uniform, const Sides& marginals);
  void judge();

  const AisOptions& options_;
  Sampler& reversal_;
  const EnergyModel& model_;
  double end_;
  const Chains& rows_;
  const HeldMask& held_;
  const Execution& execution_;

  Sides all_;
  std::uint64_t round_trips_ = 0, least_round_trips_ = std::numeric_limits<std::uint64_t>::max();
  bool certified_ = true;
  LogPartitionEstimate result_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
