// What chains remember from one update to the next, and how they are cut into shards.
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include <harmonium/estimators/phases/chain_phase.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/model/domain.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void ChainPhase::take(const EnergyModel&, Phase phase, const Shard& shard) {
  if (phase == Phase::positive && options_.start == ChainStart::persistent)
    throw CapabilityError(
        "phase 'chains': in the positive phase persistent chains belong to rows of the data, and with training.shards "
        "> "
        "1 a row comes to another shard at each visit. Try start = \"marginals\", or set training.shards = 1.");
  if (options_.sampler->adaptation_steps() != 0)
    throw CapabilityError(
        "phase 'chains': the sampler adapts itself to all chains, and with training.shards > 1 each shard has its own. "
        "Turn the adaptation off (a ladder of temperatures: give 'betas'), or set training.shards = 1.");
  if (phase == Phase::negative && options_.num_chains != 0 && options_.num_chains < shard.count)
    throw CapabilityError(fmt::format(
        "phase 'chains': {} chains cannot be cut into {} shards. Raise num_chains, or lower training.shards.",
        options_.num_chains, shard.count));
  shard_ = shard;
}

void ChainPhase::load_chains(StateArchive& archive) {
  if (!begun_) throw std::logic_error("phase 'chains': a state is loaded after begin, which tells the model");
  const auto& [layout, phase] = *begun_;
  const Index rungs = options_.sampler->rungs();
  std::uint64_t rows = 0;
  archive.field("chains/num_rows", rows);
  const Index most = own_chains(phase, archive.sizes().rows);
  const bool any = options_.num_chains == 0;  // as many as a batch had rows
  if (rows == 0 || rows % rungs != 0 || (any ? rows / rungs > most : rows / rungs != most))
    archive.refuse("chains/num_rows", fmt::format("is {}, where {} chains of {} temperature{} each are {}", rows, most,
                                                  rungs, rungs == 1 ? "" : "s", any ? "the most" : "needed"));
  chains_.emplace(layout, rows);
  archive.group("chains", *chains_);
  all_chains_ = rows / rungs;
  if (shard_) archive.field("all_chains", all_chains_);
  if (all_chains_ < rows / rungs)
    archive.refuse("all_chains", fmt::format("is {}, less than this shard's", all_chains_));
  std::vector<std::uint8_t> taken(rungs);
  for (Index r = 0; r < rows; ++r) {
    if (r % rungs == 0) std::ranges::fill(taken, std::uint8_t{0});
    const std::uint32_t rung = chains_->rung()[r];
    if (rung >= rungs || taken[rung]++ != 0)
      archive.refuse("chains/rung", fmt::format("holds {} in row {}: each chain has a row at each of {} temperature{}",
                                                rung, r, rungs, rungs == 1 ? "" : "s"));
  }
  for (const LayerId l : layout.ids()) {
    const Domain domain = layout[l].role == Role::latent ? Domain::states : Domain::interval;  // data may be gray
    if (const auto row = first_outside(layout[l], chains_->read(l), domain))
      archive.refuse(fmt::format("chains/layer{}", static_cast<Index>(l)),
                     fmt::format("holds in row {} what {} units of layer '{}' are not", *row, layout[l].unit->name(),
                                 layout[l].name));
  }
}

void ChainPhase::state(StateArchive& archive) {
  // Chains that no update has touched yet have no state.
  if (!archive.loading() && chains_) {
    archive.group("chains", *chains_);
    if (shard_) archive.field("all_chains", all_chains_);
  }
  if (archive.loading() && archive.has_group("chains")) load_chains(archive);
  archive.group("examples", examples_);
  archive.group("sampler", *options_.sampler);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
