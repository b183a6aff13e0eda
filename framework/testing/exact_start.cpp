#include <exception>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/exact_chain.hpp>
#include <harmonium/framework/testing/model_suite.hpp>
#include <harmonium/framework/testing/sampler_checks.hpp>
#include <harmonium/framework/testing/stationarity.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// What a sampler is asked whether it serves; the mask, which is kept in `mask`, is of the first row alone.
Target target_of(const Scenario& scenario, HeldMask& mask) {
  mask = HeldMask(scenario.held_layers);
  if (!scenario.held_units.empty()) {
    const Layout& layout = scenario.model.layout();
    Index first = 0;
    for (const LayerId l : layout.ids()) {
      const auto begin = scenario.held_units[0].begin() + static_cast<std::ptrdiff_t>(first);
      mask.hold_units(l, layout[l].size, {begin, begin + static_cast<std::ptrdiff_t>(layout[l].size)});
      first += layout[l].size;
    }
  }
  Target target{scenario.model};
  target.beta = scenario.beta;
  if (!scenario.held_layers.empty() || !scenario.held_units.empty()) target.held = &mask;
  return target;
}

void examine_one(const SamplerSubject& s, const char* check, Sampler& sampler, const Scenario& scenario) {
  HeldMask mask;
  try {
    sampler.check(target_of(scenario, mask));
  } catch (const CapabilityError& error) {
    s.report.skip(check, error.what());
    return;
  }
  try {
    const Findings findings = examine(sampler, scenario);
    s.report.judge(check, findings.complaint(), findings.law.summary());
  } catch (const std::logic_error& error) {
    s.report.add(CheckOutcome::failed, check, error.what());
  }
}

}  // namespace

void check_exact_start(const SamplerSubject& s) {
  const std::unique_ptr<Sampler> sampler = s.adapted();
  Scenario scenario{s.model};
  scenario.draws = SamplerSubject::num_draws;
  scenario.first_step = SamplerSubject::later_step;
  examine_one(s, "exact start, one transition", *sampler, scenario);
  Scenario warmer = scenario;
  warmer.beta = 0.6;
  warmer.steps = 3;
  warmer.batch = 240;
  examine_one(s, "exact start at beta 0.6, three transitions", *sampler, warmer);
  if (s.layout.size() > 1) {
    Scenario held = scenario;
    held.held_layers = s.layout.observed();
    if (!(held.held_layers == s.layout.all())) examine_one(s, "exact start, observed layers held", *sampler, held);
  }
  Scenario units = scenario;
  units.held_units = {every_third(StateSpace(s.layout).num_units())};
  examine_one(s, "exact start, every third unit held", *sampler, units);
  // A temperature that is forgotten beside held units shows at another one only.
  units.beta = 0.6;
  units.draws = SamplerSubject::num_draws / 2;
  examine_one(s, "exact start at beta 0.6, every third unit held", *sampler, units);
}

void note_gibbs(const SamplerSubject& s) {
  if (!s.model.block_conditionals() || ExactChain::log2_entries(s.model) > most_enumerated) return;
  const ExactChain chain(s.model);
  if (chain.num_states() > 256) return;
  const std::unique_ptr<Sampler> sampler = s.adapted();
  const TransitionFindings findings = examine_transitions(*sampler, chain, 1, 500, 100'000);
  s.report.add(CheckOutcome::noted, "transitions against those of Gibbs sampling",
               (findings.matrix.rejected() ? "they are other ones, as they may be: " : "they are the same: ") +
                   findings.matrix.summary());
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
