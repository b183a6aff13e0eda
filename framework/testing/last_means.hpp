#pragma once

#include <functional>
#include <memory>

#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/framework/testing/report.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// Of a sampler that leaves conditional means behind (LastMeans): that they are those of the chains as it leaves them, from
/// the model's own conditionals, at two temperatures; and that asking for them moves no chain elsewhere. Nothing is
/// reported of a sampler that leaves none, or of a model without conditionals.
void check_last_means(const std::function<std::unique_ptr<Sampler>()>& make, const EnergyModel& model,
                      CheckReport& report);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
