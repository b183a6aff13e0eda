#include <harmonium/framework/inference/replica_exchange.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/acceptance.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

CountsRoundTrips::~CountsRoundTrips() = default;

std::vector<Index> rows_by_rung(const Chains& chains, Index first, Index rungs, std::string_view who) {
  std::vector<Index> rows(rungs, chains.size());
  for (Index r = first; r < first + rungs; ++r) {
    const std::uint32_t rung = chains.rung()[r];
    if (rung < rungs) rows[rung] = r;
  }
  if (std::ranges::find(rows, chains.size()) != rows.end())
    throw CapabilityError(
        fmt::format("{}: rows {} to {} are not at each of the {} rungs once. Start row c · rungs + k at rung k.", who,
                    first, first + rungs - 1, rungs));
  return rows;
}

void ExchangeTally::follow(const Chains& chains) {
  last_end.assign(chains.size(), neither);
  for (Index r = 0; r < chains.size(); ++r)
    if (chains.rung()[r] == 0) last_end[r] = target_end;
}

std::uint64_t ExchangeTally::least_trips() const { return trips.empty() ? 0 : std::ranges::min(trips); }

bool ExchangeTally::complete() const { return std::ranges::find(tries, std::uint64_t{0}) == tries.end(); }

std::vector<double> ExchangeTally::take_rejections() {
  std::vector<double> rates(rejected.size());
  std::ranges::transform(rejected, tries, rates.begin(),
                         [](double sum, std::uint64_t n) { return sum / static_cast<double>(n); });
  std::ranges::fill(rejected, 0.0);
  std::ranges::fill(tries, std::uint64_t{0});
  return rates;
}

LadderReport empty_report(std::vector<double> betas) {
  const std::vector<std::uint64_t> none(betas.size() - 1);
  return {std::move(betas), none, none};
}

bool take_exchange(double log_ratio, double uniform, Index k, ExchangeTally& tally, LadderReport& report) {
  const double accept = acceptance_probability(log_ratio);
  ++report.proposed[k];
  ++tally.tries[k];
  tally.rejected[k] += 1.0 - accept;
  if (uniform >= accept) return false;
  ++report.accepted[k];
  return true;
}

void count_ends(Index chain, Index at_target, Index at_far_end, ExchangeTally& tally, LadderReport& report) {
  std::uint8_t& near = tally.last_end[at_target];
  if (near == ExchangeTally::far_end) {
    ++report.round_trips;
    if (!tally.trips.empty()) ++tally.trips[chain];
  }
  near = ExchangeTally::target_end;
  std::uint8_t& far = tally.last_end[at_far_end];
  if (far == ExchangeTally::target_end) far = ExchangeTally::far_end;
}

void exchange_neighbors(const Target& target, std::span<const double> difference, Chains& chains, std::uint64_t round,
                        const Execution& execution, ExchangeTally& tally, LadderReport& report, std::string_view who) {
  const Index rungs = target.ladder.size();
  const DrawBlock addresses =
      DrawBlock::of(execution.random.child("swap"), chains.first_chain(), chains.step(), target.model.layout().id(0));
  for (Index first = 0; first < chains.size(); first += rungs) {
    std::vector<Index> row = rows_by_rung(chains, first, rungs, who);
    for (Index k = round % 2; k + 1 < rungs; k += 2) {
      const double log_ratio =
          (target.ladder[k] - target.ladder[k + 1]) * (difference[row[k]] - difference[row[k + 1]]);
      const double uniform = uniform_f64(addresses.word(first, static_cast<std::uint32_t>(k)));
      if (!take_exchange(log_ratio, uniform, k, tally, report)) continue;
      std::swap(chains.rung()[row[k]], chains.rung()[row[k + 1]]);
      std::swap(row[k], row[k + 1]);
    }
    count_ends(first / rungs, row.front(), row.back(), tally, report);
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
