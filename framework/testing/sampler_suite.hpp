#pragma once

#include <functional>
#include <memory>

#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/framework/testing/report.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// Holds a sampler, as `make` makes it, to what every sampler promises. On any model: that it counts its transitions,
/// moves every unit, keeps independent chains independent, shares no random word (shared_words.hpp), gives the same bits on any number of threads, and remembers
/// through `state` alone. Of its law:
/// - where the states are few enough, that chains drawn from the exact law of the target still follow it after one and
///   after three transitions, at another temperature, with layers and with single units held;
/// - for a sampler with temperatures of its own, that each rung keeps the law that it reports (ladder_suite.hpp);
/// - of other small models, continuous ones among them, that rows which follow the law by other means
///   (reference_rows.hpp) go on to do so: no mean changes (mean_changes.hpp).
/// Whether its transitions are those of Gibbs sampling (exact_chain.hpp) is told where that can be computed. Statistical
/// checks have fixed seeds and false alarms below 1e-8 in all (chi_square.hpp).
void check_sampler(const std::function<std::unique_ptr<Sampler>()>& make, const EnergyModel& model,
                   CheckReport& report);

/// Whether two batches are the same, to the bit.
bool same_chains(const Chains& a, const Chains& b, const Layout& layout);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
