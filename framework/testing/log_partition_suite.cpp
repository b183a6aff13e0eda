#include <harmonium/framework/testing/log_partition_suite.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/distributions/normal.hpp>
#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/testing/chi_square.hpp>
#include <harmonium/framework/testing/law.hpp>
#include <harmonium/framework/testing/model_suite.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// Of an estimate that brings a state, or should.
void check_ground_state(const LogPartitionEstimate& found, bool promised, const EnergyModel& model,
                        CheckReport& report) {
  constexpr const char* check = "ground state";
  if (!found.ground_state || !found.ground_state_energy) {
    if (promised || found.ground_state)
      report.judge(check, "it finds one, and its estimate lacks the state or the energy", "");
    return;
  }
  const double told = *found.ground_state_energy;
  double energy = 0.0;
  model.energy({*found.ground_state, 0, 1}, {&energy, 1});
  const double rounding = 1024.0 * std::numeric_limits<Real>::epsilon() * (1.0 + std::abs(told));
  report.judge(check,
               std::abs(energy - told) <= rounding
                   ? ""
                   : fmt::format("the energy of the state is {:.9g}, and {:.9g} is told", energy, told),
               fmt::format("energy {:.9g}", told));
}

}  // namespace

void check_log_partition(const LogPartition& log_partition, const EnergyModel& model, CheckReport& report) {
  try {
    log_partition.check(model);
  } catch (const CapabilityError& error) {
    report.skip("log partition", error.what());
    return;
  }
  const auto estimate = [&](double beta, int threads) {
    const Executor executor(threads);
    return log_partition.estimate(model, beta, {executor, {71, 73}});
  };
  report.judge("any number of threads",
               estimate(1.0, 1).log_z == estimate(1.0, 3).log_z ? "" : "log Z is another one on 3 threads than on 1",
               "the same bits on 1 thread and on 3");
  const LogPartitionEstimate one = estimate(1.0, 1);
  const std::string interval = fmt::format("log Z {:.9g} in [{:.9g}, {:.9g}]", one.log_z, one.low, one.high);
  const bool holds = one.low <= one.log_z && one.log_z <= one.high && (!one.exact || one.low == one.high);
  report.judge("interval of log Z",
               !holds ? interval + (one.exact ? ": it is exact, and both ends are to be it" : "")
               : !one.agree && one.why.empty() ? "it does not agree, and says no reason"
                                               : "",
               interval);
  check_ground_state(one, log_partition.finds_ground_state(model, 1.0), model, report);
  constexpr const char* check = "log Z against the sum over all states";
  if (model.layout().log2_states(model.layout().all()) > most_enumerated) {
    report.skip(check, "there are too many states, or continuous units");
    return;
  }
  const std::vector<double> energy = model_energies(model, StateSpace(model.layout()));
  const double min = *std::ranges::min_element(energy), max = *std::ranges::max_element(energy);
  constexpr double betas[] = {1.0, 0.5, 0.0};
  const double far_out = boost::math::quantile(
      boost::math::complement(boost::math::normal(), false_alarm / (2.0 * static_cast<double>(std::size(betas)))));
  std::string complaint;
  double worst = 0.0;
  for (const double beta : betas) {
    double sum = 0.0;
    for (const double e : energy) sum += std::exp(beta * (min - e));
    const double exact = std::log(sum) - beta * min;
    const LogPartitionEstimate told = estimate(beta, 1);
    const double rounding =
        64.0 * std::numeric_limits<Real>::epsilon() * (1.0 + std::abs(exact) + std::abs(min) + std::abs(max));
    const double off = std::abs(told.log_z - exact), bound = rounding + (told.exact ? 0.0 : far_out * told.error);
    worst = std::max(worst, off);
    if (complaint.empty() && !(off <= bound))
      complaint = fmt::format("at beta {}: {:.9g}, and the sum says {:.9g} ({})", beta, told.log_z, exact,
                              told.exact ? std::string("it says that it is exact")
                                         : fmt::format("its standard error is {:.3g}", told.error));
  }
  report.judge(check, complaint, fmt::format("at beta 1, 0.5 and 0: largest difference {:.2g}", worst));
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
