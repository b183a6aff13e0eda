#include <harmonium/estimators/phases/chains_and_ladders.hpp>

#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/stream.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

void check_samplers(const ChainsAndLaddersOptions& options) {
  const auto refuse = [](const char* why) { throw ConfigError(why); };
  if (!options.sampler || !options.ladder) refuse("a sampler and a ladder must be given.");
  if (options.sampler->rungs() != 1)
    refuse("'sampler' moves the chains, which have no temperatures, and it has several. Give it as 'ladder'.");
  if (options.ladder->rungs() == 1)
    refuse("'ladder' has one temperature. Give a sampler that has several, such as 'parallel_tempering'.");
  if (options.num_chains == 0 || options.num_ladders == 0)
    refuse("'num_chains' and 'num_ladders' must be at least 1. Without ladders take the phase 'chains'.");
}

ChainPhaseOptions persistent_chains(ChainsAndLaddersOptions& o) {
  return {.start = ChainStart::persistent,
          .num_chains = o.num_chains,
          .gibbs_steps = o.gibbs_steps,
          .rao_blackwell = o.rao_blackwell,
          .sampler = std::move(o.sampler)};
}

ChainPhaseOptions persistent_ladders(ChainsAndLaddersOptions& o) {
  return {.start = ChainStart::persistent,
          .num_chains = o.num_ladders,
          .gibbs_steps = o.ladder_steps,
          .rao_blackwell = o.rao_blackwell,
          .sampler = std::move(o.ladder),
          .words = {"the ladders", "the means of the ladders' latent units", "the estimator's num_ladders"}};
}

}  // namespace

void ChainsAndLaddersOptions::bind(OptionBinder& o) {
  o.option("num_chains", num_chains, "chains at the model's own temperature", at_least(1));
  o.option("gibbs_steps", gibbs_steps, "transitions of the chains at each update", at_least(1));
  o.option("num_ladders", num_ladders, "ladders of temperatures, a chain at each rung", at_least(1));
  o.option("ladder_steps", ladder_steps, "transitions of the ladders at each update", at_least(1));
  o.option("rao_blackwell", rao_blackwell, "latent units by their conditional means, not by their states");
  o.component("sampler", sampler, "what moves the chains", "gibbs");
  o.component("ladder", ladder, "what moves the ladders: a sampler that has temperatures", "parallel_tempering");
}

ChainsAndLadders::ChainsAndLadders(Options o)
    : share_(static_cast<double>(o.num_ladders) / static_cast<double>(o.num_ladders + o.num_chains)),
      chains_((check_samplers(o), persistent_chains(o))),
      ladders_(persistent_ladders(o)) {}

void ChainsAndLadders::check(const EnergyModel& model, Phase phase) const {
  if (phase == Phase::positive)
    throw CapabilityError(
        "phase 'chains_and_ladders': it draws from the model, which is the negative phase. Try 'automatic' or "
        "'chains'.");
  chains_.check(model, phase);
  ladders_.check(model, phase);
}

void ChainsAndLadders::begin(const EnergyModel& model, Phase phase, const DataOutline& data) {
  chains_.begin(model, phase, data);
  ladders_.begin(model, phase, data);
}

PhaseReport ChainsAndLadders::accumulate(const EnergyModel& model, const DataBatch& data, Phase phase, double scale,
                                         std::span<Real> gradient, const Execution& execution) {
  PhaseReport chains =
      chains_.accumulate(model, data, phase, (1.0 - share_) * scale, gradient, execution.part("chains"));
  const PhaseReport ladders =
      ladders_.accumulate(model, data, phase, share_ * scale, gradient, execution.part("ladders"));
  change_places(model.layout(), execution.random.child("places"));
  chains.method += fmt::format(", and {} on ladders of temperatures", ladders.method);
  chains.sampler.add(ladders.sampler);
  return chains;
}

void ChainsAndLadders::change_places(const Layout& layout, const RandomSource& random) {
  Chains &chains = *chains_.chains(), &ladders = *ladders_.chains();
  const DrawBlock draws = DrawBlock::of(random, 0, ladders.step(), layout.id(0));
  Chains kept(layout, 1);
  for (Index row = 0; row < ladders.size(); ++row) {
    if (ladders.rung()[row] != 0) continue;
    const auto chain = static_cast<Index>(uniform_f64(draws.word(row, 0)) * static_cast<double>(chains.size()));
    kept.copy_rows(layout.all(), {chains, chain, chain + 1});
    chains.copy_rows(layout.all(), {ladders, row, row + 1}, chain);
    ladders.copy_rows(layout.all(), {kept, 0, 1}, row);
  }
}

double ChainsAndLadders::products(const EnergyModel& model, Phase phase, Index rows) const {
  return chains_.products(model, phase, rows) + ladders_.products(model, phase, rows);
}

void ChainsAndLadders::memory(const EnergyModel& model, Phase phase, Index rows, MemoryNeed& need) const {
  chains_.memory(model, phase, rows, need);
  ladders_.memory(model, phase, rows, need);
}

void ChainsAndLadders::state(StateArchive& archive) {
  archive.group("chains", chains_);
  archive.group("ladders", ladders_);
}

bool ChainsAndLadders::burn_in(Index steps) {
  chains_.burn_in(steps);
  return ladders_.burn_in(steps);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
