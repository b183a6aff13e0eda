#include <harmonium/framework/inference/ladders.hpp>

#include <algorithm>

#include <harmonium/framework/inference/energy_differences.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

std::vector<double> as_kernels_take_them(std::vector<double> betas) {
  std::ranges::transform(betas, betas.begin(),
                         [](double beta) { return static_cast<double>(static_cast<Real>(beta)); });
  return betas;
}

}  // namespace

Ladders::Ladders(Target target, std::vector<double> betas, Chains chains)
    : betas_(as_kernels_take_them(std::move(betas))),
      target_(target),
      chains_(std::move(chains)),
      tally_(betas_.size()) {
  target_.ladder = betas_;
  tally_.follow(chains_);
}

void Ladders::restart(Index ladder, const Chains& other, Index from) {
  for (Index r = ladder * rungs(); r < (ladder + 1) * rungs(); ++r) {
    chains_.copy_rows(target_.model.layout().all(), {other, from, from + 1}, r);
    tally_.last_end[r] = chains_.rung()[r] == 0 ? ExchangeTally::target_end : ExchangeTally::neither;
  }
}

LadderReport Ladders::walk(Index steps, Sampler& sampler, const Execution& execution,
                           FunctionRef<void(Index, const std::vector<double>&)> exchanged,
                           FunctionRef<void(Index)> moved) {
  LadderReport report = empty_report(betas_);
  tally_.count_trips(num_ladders());
  const Execution moves = execution.part("sampler");
  std::vector<double> difference = energy_differences(target_, chains_, execution.executor);
  for (Index t = 1; t <= steps; ++t) {
    exchange_neighbors(target_, difference, chains_, chains_.step(), execution, tally_, report,
                       "a ladder of temperatures");
    exchanged(t, difference);
    difference = differences_after(sampler, target_, chains_, moves);
    execution.executor.check_stop();
    moved(t);
  }
  return report;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
