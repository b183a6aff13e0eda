#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/framework/testing/report.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// A sampler as it is made, the model that it is checked on, and the ways in which its checks run it.
struct SamplerSubject {
  /// Chains of an exact-start test.
  static constexpr Index num_draws = 60'000;
  /// Rows that follow a law by other means (reference_rows.hpp).
  static constexpr Index reference_rows = 2000;
  /// A number of a transition behind those of an adaptation.
  static constexpr std::uint64_t later_step = 1'000'000;

  SamplerSubject(const std::function<std::unique_ptr<Sampler>()>& maker, const EnergyModel& checked, CheckReport& to);

  /// Whether the joint states are few enough to be added up.
  bool enumerable() const;
  /// Independent rows on the rungs that the sampler wants.
  Chains start(Index logical, std::uint64_t seed) const;
  SamplerReport advance(Sampler& sampler, Chains& chains, Index steps, int threads = 1) const;
  std::unique_ptr<Sampler> adapted() const;

  const std::function<std::unique_ptr<Sampler>()>& make;
  const EnergyModel& model;
  const Layout& layout;
  CheckReport& report;
  Index rungs;
};

/// The rows of `from` beginning with `first` become those of `to`.
void copy_rows(const Layout& layout, const Chains& from, Index first, Chains& to);

/// Of `num` units a byte each, 1 for every third.
std::vector<std::uint8_t> every_third(Index num);
/// The same units held in each of some rows.
HeldMask every_third_held(const Layout& layout, Index rows);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
