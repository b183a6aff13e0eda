#include <harmonium/samplers/tempered_transitions.hpp>

#include <algorithm>
#include <cmath>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/acceptance.hpp>
#include <harmonium/framework/inference/energy_differences.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void TemperedTransitionsOptions::bind(OptionBinder& o) {
  o.option("num_temperatures", num_temperatures, "temperatures above the target's that a proposal climbs and descends",
           at_least(1));
  o.option("lowest_beta", lowest_beta, "the hottest one's inverse temperature, as a part of the target's",
           more_than(0));
  o.component("sampler", sampler,
              "what moves the chain at each temperature on the way up, its reversal on the way down", "gibbs");
}

void TemperedTransitionsOptions::validate() const {
  if (!(lowest_beta > 0.0 && lowest_beta < 1.0))
    throw ConfigError("'lowest_beta' must be above 0 and below 1, where the target is.");
  if (num_temperatures == 0) throw ConfigError("'num_temperatures' must be at least 1.");
}

TemperedTransitions::TemperedTransitions(Options options) : options_(std::move(options)) {
  const auto refuse = [](const char* why) { throw ConfigError(why); };
  options_.validate();
  if (!options_.sampler) refuse("an inner sampler must be given.");
  if (options_.sampler->rungs() != 1) refuse("the inner sampler has temperatures of its own. Take 'gibbs'.");
  reversal_ = options_.sampler->reversal();
  if (!reversal_) refuse("no reversal of the inner sampler is known. Take 'gibbs' with a systematic scan.");
  for (Index k = 0; k <= options_.num_temperatures; ++k)
    parts_.push_back(
        std::pow(options_.lowest_beta, static_cast<double>(k) / static_cast<double>(options_.num_temperatures)));
}

// Rounded to the precision in which kernels take them, so that moves and acceptances are about the same law.
std::vector<double> TemperedTransitions::ladder_at(const Target& target, Index k) const {
  std::vector<double> betas = target.ladder.empty() ? std::vector<double>{target.beta}
                                                    : std::vector<double>(target.ladder.begin(), target.ladder.end());
  for (double& beta : betas) beta = static_cast<double>(static_cast<Real>(beta * parts_[k]));
  return betas;
}

void TemperedTransitions::check(const Target& target) const {
  const std::vector<double> hottest = ladder_at(target, options_.num_temperatures);
  Target tempered = target;
  tempered.ladder = hottest;
  options_.sampler->check(tempered);
  check_energy(target.model);
}

SamplerReport TemperedTransitions::advance(const Target& target, Chains& chains, Index steps,
                                           const Execution& execution, LastMeans*) {
  const Layout& layout = target.model.layout();
  const std::uint64_t start = chains.step();
  const Index hottest = options_.num_temperatures;
  std::vector<std::vector<double>> ladder;
  for (Index k = 0; k <= hottest; ++k) ladder.push_back(ladder_at(target, k));
  const Execution inner = execution.part("sampler");
  const RandomSource accept = execution.random.child("accept");
  std::uint64_t accepted = 0;

  std::vector<double> log_ratio(chains.size());
  // What a row gains by going from β_(k−1) to β_k, or loses on its way back.
  const auto weigh = [&](Index k, double sign) {
    const std::vector<double> difference = energy_differences(target, chains, execution.executor);
    for (Index r = 0; r < chains.size(); ++r) {
      const std::uint32_t rung = target.ladder.empty() ? 0 : chains.rung()[r];
      log_ratio[r] += sign * (ladder[k - 1][rung] - ladder[k][rung]) * difference[r];
    }
  };
  const auto move = [&](Sampler& sampler, Index k) {
    Target tempered = target;
    tempered.ladder = ladder[k];
    sampler.advance(tempered, chains, 1, inner);
  };

  for (std::uint64_t step = start; step < start + steps; ++step) {
    Chains before = chains;
    std::ranges::fill(log_ratio, 0.0);
    chains.set_step(step * 2 * hottest);  // words of its own for each transition
    try {
      for (Index k = 1; k <= hottest; ++k) {
        weigh(k, 1.0);
        move(*options_.sampler, k);
      }
      for (Index k = hottest; k >= 1; --k) {
        move(*reversal_, k);
        weigh(k, -1.0);
      }
    } catch (...) {
      chains = std::move(before);  // half an annealing is no state of the target
      throw;
    }
    const DrawBlock words = DrawBlock::of(accept, chains.first_chain(), step, layout.id(0));
    for (Index r = 0; r < chains.size(); ++r) {
      if (accepts(log_ratio[r], uniform_f64(words.word(r, 0)))) ++accepted;
      else chains.copy_rows(layout.all(), {before, r, r + 1}, r);
    }
    chains.set_step(step + 1);
  }
  SamplerReport report;
  report.proposed = chains.size() * steps;
  if (report.proposed > 0) report.acceptance = static_cast<double>(accepted) / static_cast<double>(report.proposed);
  report.min_acceptance = SamplerReport::usual_min_acceptance;
  return report;
}

double TemperedTransitions::products_per_step() const {
  return 2.0 * static_cast<double>(options_.num_temperatures) * (options_.sampler->products_per_step() + 1.0);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
