#include <harmonium/framework/inference/local_sums.hpp>

#include <algorithm>

#include <harmonium/framework/core/assert.hpp>
#include <harmonium/framework/diagnostics/block_jackknife.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

Index local_blocks(Index chains, Index steps) { return std::min(BlockJackknife::usual_blocks(chains), steps); }

}  // namespace

LocalSums::LocalSums(const LocalObservables& what, Index num_chains, Index num_steps)
    : what_(&what),
      num_chains_(num_chains),
      num_steps_(num_steps),
      blocks_(local_blocks(num_chains, num_steps)),
      units_(num_chains * what.num_of_units()),
      sums_(num_chains * blocks_ * what.size(), 0.0) {}

double LocalSums::bytes(const LocalObservables& what, Index num_chains, Index num_steps) {
  const auto chains = static_cast<double>(num_chains);
  return sizeof(double) * chains *
         (static_cast<double>(local_blocks(num_chains, num_steps)) * static_cast<double>(what.size()) +
          static_cast<double>(what.num_of_units()));
}

void LocalSums::add(Index chain, Index step, std::span<const Real> row) {
  HARMONIUM_ASSERT(chain < num_chains_ && step < num_steps_);
  const std::span<double> units = std::span(units_).subspan(chain * what_->num_of_units(), what_->num_of_units());
  what_->layer().tell_units(row, units);
  const Index block = ((step + 1) * blocks_ - 1) / num_steps_;  // the last that begins at `step` or before
  what_->add(units, 1.0, std::span(sums_).subspan((chain * blocks_ + block) * what_->size(), what_->size()));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
