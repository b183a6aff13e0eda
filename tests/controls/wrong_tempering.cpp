#include <harmonium/tests/controls/wrong_tempering.hpp>

#include <algorithm>
#include <cmath>

namespace harmonium::testing {

SamplerReport OtherTempering::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                      LastMeans*) {
  const Index rungs = betas_.size();
  Target tempered = target;
  tempered.ladder = betas_;
  for (Index s = 0; s < steps; ++s) {
    std::vector<double> d(chains.size()), base(chains.size(), 0.0);
    if (exchange_ == Exchange::scaled_free)
      target.model.free_energy()->evaluate(target.model.layout().observed(), 1.0, chains, d);
    else target.model.energy(chains, d);
    if (target.base && exchange_ != Exchange::without_the_base) target.base->energy(chains, base);
    for (Index r = 0; r < chains.size(); ++r) d[r] -= base[r];

    const std::vector<std::uint32_t> before(chains.rung().begin(), chains.rung().end());
    const DrawBlock words =
        DrawBlock::of(execution.random.child("other"), chains.first_chain(), chains.step(), LayerId{0});
    for (Index first = 0; first < chains.size(); first += rungs) {
      std::vector<Index> row(rungs);
      for (Index r = first; r < first + rungs; ++r) row[chains.rung()[r]] = r;
      for (Index k = chains.step() % 2; k + 1 < rungs; k += 2) {
        double ratio = (betas_[k] - betas_[k + 1]) * (d[row[k]] - d[row[k + 1]]);
        if (exchange_ == Exchange::half) ratio *= 0.5;
        const double u = uniform_f64(words.word(first, static_cast<std::uint32_t>(k)));
        if (exchange_ != Exchange::always && std::log(u) >= ratio) continue;
        std::swap(chains.rung()[row[k]], chains.rung()[row[k + 1]]);
      }
    }
    const std::vector<std::uint32_t> after(chains.rung().begin(), chains.rung().end());
    if (exchange_ == Exchange::stale) std::ranges::copy(before, chains.rung().begin());
    gibbs_.advance(tempered, chains, 1, execution, nullptr);
    std::ranges::copy(after, chains.rung().begin());
  }
  return {};
}

SamplerReport HastyTransitions::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                        LastMeans*) {
  for (Index s = 0; s < 2 * steps; ++s) {
    Target hot = target;
    hot.beta = 0.4 * target.beta;
    gibbs_.advance(hot, chains, 1, execution);
  }
  return {};
}

}  // namespace harmonium::testing
