#include <harmonium/framework/testing/ladder_suite.hpp>

#include <cmath>
#include <random>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/rungs.hpp>
#include <harmonium/framework/testing/law.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

constexpr std::uint64_t first_step = 1'000'000;  // behind the transitions of an adaptation

Target at_temperature(const EnergyModel& model, double beta) {
  Target target{model};
  target.beta = beta;
  return target;
}

/// Logical chains whose row at rung k is drawn from laws[k].
Chains drawn(const Layout& layout, const StateSpace& space, const std::vector<Drawing>& laws, Index logical,
             Index first, std::mt19937_64& random) {
  const Index rungs = laws.size();
  Chains chains(layout, logical * rungs, static_cast<std::uint32_t>(first * rungs));
  std::vector<std::size_t> states(chains.size());
  for (Index r = 0; r < chains.size(); ++r) {
    states[r] = laws[r % rungs](random);
    chains.rung()[r] = static_cast<std::uint32_t>(r % rungs);
  }
  space.put(states, chains);
  return chains;
}

/// Runs `draws` logical chains from `laws` for `steps` transitions, and counts the states at each rung.
std::vector<std::vector<std::uint64_t>> counts_after(Sampler& sampler, const EnergyModel& model,
                                                     const std::vector<Law>& laws, Index draws, Index steps,
                                                     double beta) {
  constexpr Index batch = 500;
  const StateSpace space(model.layout());
  const std::vector<Drawing> drawings(laws.begin(), laws.end());
  const Executor executor(1);
  std::mt19937_64 random(29);
  std::vector<std::vector<std::uint64_t>> counts(laws.size(), std::vector<std::uint64_t>(space.size(), 0));
  for (Index first = 0; first < draws; first += batch) {
    Chains chains = drawn(model.layout(), space, drawings, batch, first, random);
    // Whatever turns with the step, such as which rungs are exchanged, comes first for some.
    chains.set_step(first_step + first / batch);
    sampler.advance(at_temperature(model, beta), chains, steps, {executor, {41, 43}});
    const std::vector<std::size_t> states = space.read(chains);
    for (Index r = 0; r < chains.size(); ++r) ++counts[chains.rung()[r]][states[r]];
  }
  return counts;
}

std::optional<LadderReport> reported(Sampler& sampler, const EnergyModel& model, double beta) {
  const StateSpace space(model.layout());
  const std::vector<Drawing> any(sampler.rungs(), Drawing(law_of(model_energies(model, space))));
  std::mt19937_64 random(31);
  Chains chains = drawn(model.layout(), space, any, 1, 0, random);
  chains.set_step(first_step);
  const Executor executor(1);
  return sampler.advance(at_temperature(model, beta), chains, 1, {executor, {41, 43}}).ladder;
}

void check_target(Sampler& sampler, const EnergyModel& model, CheckReport& report) {
  constexpr Index steps = 40, draws = 20'000;
  const StateSpace space(model.layout());
  const Law law = law_of(model_energies(model, space));
  ChiSquare found;
  found.add(counts_after(sampler, model, std::vector<Law>(sampler.rungs(), law), draws, steps, 1.0)[0], law);
  report.judge("law at the target's temperature",
               found.rejected() ? fmt::format("after {} transitions chains at the target do not follow its law: {}",
                                              steps, found.summary())
                                : "",
               fmt::format("after {} transitions: {}", steps, found.summary()));
}

/// Every rung of a target at `beta`.
void check_rungs(Sampler& sampler, const EnergyModel& model, const LadderReport& ladder, double beta, const char* check,
                 CheckReport& report) {
  constexpr Index draws = 60'000;
  if (std::abs(ladder.betas[0] - beta) > 1e-6) {
    report.add(CheckOutcome::failed, check,
               fmt::format("the first rung is at beta = {:g}, and the target at {:g}", ladder.betas[0], beta));
    return;
  }
  const ChiSquare found = laws_of_rungs(sampler, model, ladder, draws);
  report.judge(check, found.rejected() ? fmt::format("a rung does not keep its law: {}", found.summary()) : "",
               found.summary());
}

/// Whether it takes targets at another temperature: a base of its own may be that of beta = 1 alone.
bool takes(const Sampler& sampler, const EnergyModel& model, double beta) {
  try {
    sampler.check(at_temperature(model, beta));
  } catch (const CapabilityError&) {
    return false;
  }
  return true;
}

}  // namespace

ChiSquare laws_of_rungs(Sampler& sampler, const EnergyModel& model, const LadderReport& ladder, Index draws) {
  const StateSpace space(model.layout());
  const std::vector<double> own = model_energies(model, space);
  const std::vector<double> base =
      ladder.base ? model_energies(*ladder.base, space) : std::vector<double>(own.size(), 0.0);
  std::vector<Law> laws;
  for (const double beta : ladder.betas) {
    std::vector<double> energy(own.size());
    for (std::size_t i = 0; i < energy.size(); ++i) energy[i] = beta * own[i] + (1.0 - beta) * base[i];
    laws.push_back(law_of(energy));
  }
  const auto counts = counts_after(sampler, model, laws, draws, 3, ladder.betas[0]);
  ChiSquare found;
  for (Index k = 0; k < laws.size(); ++k) found.add(counts[k], laws[k]);
  return found;
}

void check_ladder(Sampler& sampler, const EnergyModel& model, CheckReport& report) {
  const std::optional<LadderReport> ladder = reported(sampler, model, 1.0);
  if (!ladder || of_machines(*ladder) || ladder->betas.size() != sampler.rungs()) {
    check_target(sampler, model, report);
    return;
  }
  check_rungs(sampler, model, *ladder, 1.0, "exact start at every rung", report);
  constexpr double warmer = 0.6;
  if (takes(sampler, model, warmer))
    check_rungs(sampler, model, *reported(sampler, model, warmer), warmer, "exact start at every rung, at beta 0.6",
                report);
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
