#include <harmonium/framework/inference/ladder_checks.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/inference/works.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double outside_by_chance = 0.01;
/// Energies that lie closer, relatively, may be of one state, made from fields that were rounded otherwise.
constexpr double of_one_state = std::is_same_v<Real, float> ? 1e-5 : 1e-9;

/// Values of ladders, one each, of those that began low and of the others; their scatter is told from within each kind, so that
/// what the kinds differ by does not hide what they share.
class OfKinds {
 public:
  OfKinds(const LadderRecord& record, const std::vector<double>& values) {
    for (Index l = 0; l < values.size(); ++l) (record.starts_apart && l % 2 == 1 ? low_ : hot_).push_back(values[l]);
    for (const auto& kind : {hot_, low_}) {
      if (kind.empty()) continue;
      const auto n = static_cast<double>(kind.size());
      const Mean m = mean_of_groups(kind);
      squares_ += m.variance_of_mean * n * (n - 1.0);
      degrees_ += n - 1.0;
      sum_ += n * m.mean;
      count_ += n;
    }
  }
  double mean() const { return sum_ / count_; }
  double error_of_mean() const { return std::sqrt(squares_ / degrees_ / count_); }
  double apart() const { return mean_of_groups(low_).mean - mean_of_groups(hot_).mean; }
  double error_of_apart() const {
    const auto n = static_cast<double>(hot_.size()), m = static_cast<double>(low_.size());
    return std::sqrt(squares_ / degrees_ * (1.0 / n + 1.0 / m));
  }
  /// Whether something with such an error is not 0, by Student's t.
  bool differs(double value, double error, double outside) const {
    return std::abs(value) > half_interval(degrees_ + 1.0, outside) * error;
  }

 private:
  std::vector<double> hot_, low_;
  double squares_ = 0.0, degrees_ = 0.0, sum_ = 0.0, count_ = 0.0;
};

std::span<const double> of_ladder(const LadderRecord& record, Index rung, Index ladder) {
  return record.at(rung).subspan(ladder * record.num_times, record.num_times);
}

/// ∫ ⟨D⟩ dβ by the trapezoid rule, ⟨D⟩ being that of one ladder.
double integral_of_ladder(const LadderRecord& record, Index ladder) {
  double sum = 0.0;
  for (Index k = 0; k + 1 < record.betas.size(); ++k)
    sum += 0.5 * (record.betas[k] - record.betas[k + 1]) *
           (mean_of_groups(of_ladder(record, k, ladder)).mean + mean_of_groups(of_ladder(record, k + 1, ladder)).mean);
  return sum;
}

}  // namespace

void object_to_drift(const LadderRecord& record, LogPartitionEstimate& result) {
  const Index half = record.num_times / 2;
  if (half == 0 || record.num_ladders < 4) return;
  std::vector<double> changes;
  for (Index l = 0; l < record.num_ladders; ++l) {
    const std::span<const double> all = of_ladder(record, 0, l);
    changes.push_back(mean_of_groups(all.last(half)).mean - mean_of_groups(all.first(half)).mean);
  }
  const OfKinds kinds(record, changes);
  const double outside = record.starts_apart ? outside_by_chance / 2.0 : outside_by_chance;
  if (kinds.differs(kinds.mean(), kinds.error_of_mean(), outside))
    result.object(
        fmt::format("the ladders' energies still change, by {:.3g} ± {:.2g} from the first half of the times to the "
                    "second",
                    kinds.mean(), kinds.error_of_mean()),
        Doubt::contradicted);
  else if (record.starts_apart && kinds.differs(kinds.apart(), kinds.error_of_apart(), outside))
    result.object(
        fmt::format("the energies of ladders that began low and of those that began hot still change towards or from "
                    "each other, by {:.3g} ± {:.2g} from the first half of the times to the second",
                    kinds.apart(), kinds.error_of_apart()),
        Doubt::contradicted);
}

void object_to_starts(const LadderRecord& record, LogPartitionEstimate& result) {
  if (!record.starts_apart || record.num_ladders < 4 || record.num_times == 0) return;
  std::vector<double> energies, integrals;
  for (Index l = 0; l < record.num_ladders; ++l) {
    energies.push_back(mean_of_groups(of_ladder(record, 0, l)).mean);
    integrals.push_back(integral_of_ladder(record, l));
  }
  const auto object = [&](const std::vector<double>& values, const char* what) {
    const OfKinds kinds(record, values);
    if (!kinds.differs(kinds.apart(), kinds.error_of_apart(), outside_by_chance / 2.0)) return false;
    result.object(
        fmt::format(
            "ladders that began at the lowest state that was met and those that began hot do not agree: {} {:.3g} "
            "± {:.2g} apart",
            what, kinds.apart(), kinds.error_of_apart()),
        Doubt::contradicted);
    return true;
  };
  if (!object(energies, "their energies are")) object(integrals, "what they say of -log Z is");
}

void object_to_ladders(const LadderRecord& record, LogPartitionEstimate& result) {
  object_to_drift(record, result);
  object_to_starts(record, result);
}

bool at_odds(const LadderRecord& record) {
  LogPartitionEstimate none;
  object_to_ladders(record, none);
  return !none.agree;
}

void object_to_visited(const LadderRecord& record, double end, LogPartitionEstimate& result) {
  std::vector<double> energies(record.differences);
  std::ranges::sort(energies);
  std::vector<double> weights;
  double last = -std::numeric_limits<double>::infinity();
  for (const double e : energies) {
    if (e - last <= of_one_state * (1.0 + std::abs(e))) continue;
    weights.push_back(-end * e);
    last = e;
  }
  const double least = logsumexp(weights);
  if (!(least > result.high)) return;
  result.high = least;
  result.object(fmt::format("the states that ladders met alone have a log Z of {:.3f}", least), Doubt::contradicted);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
