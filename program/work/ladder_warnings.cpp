#include <harmonium/program/work/ladder_warnings.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/inference/rungs.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

namespace {

/// Sentences without their period, one for each place where a ladder does not connect its temperatures, or hardly.
std::vector<std::string> gaps_of(const LadderReport& ladder) {
  constexpr double none = 0.01;
  std::vector<std::string> gaps;
  for (Index k = 0; k < ladder.proposed.size(); ++k) {
    if (!is_gap(ladder, k)) continue;
    const std::string between = of_machines(ladder)
                                    ? fmt::format("machines {} and {} of the ladder, the target being 1,", k + 1, k + 2)
                                    : fmt::format("beta = {:.4g} and {:.4g}", ladder.betas[k], ladder.betas[k + 1]);
    gaps.push_back(fmt::format("only {:.2g} of the exchanges between {} were accepted, so that the ladder {} them",
                               ladder.rate(k), between,
                               ladder.rate(k) < none ? "does not connect" : "hardly connects"));
  }
  return gaps;
}

/// The option that gives a ladder by hand, where it is set.
const char* ladder_by_hand(const Value& sampler) {
  for (const char* option : {"betas", "places"}) {
    const Value* given = sampler.is_table() ? sampler.find(option) : nullptr;
    if (given && given->is_list() && !std::get<Value::List>(given->data).empty()) return option;
  }
  return nullptr;
}

}  // namespace

bool is_gap(const LadderReport& ladder, Index k) {
  constexpr double low = 0.05;
  return ladder.proposed[k] > 0 && ladder.rate(k) < low;
}

bool has_gaps(const LadderReport& ladder) { return !gaps_of(ladder).empty(); }

void warn_of_gaps(const LadderReport& ladder, Display& display, const std::string& remedy) {
  const std::vector<std::string> gaps = gaps_of(ladder);
  for (const std::string& gap : gaps)
    display.warn(&gap == &gaps.back() ? fmt::format("{}. {}", gap, remedy) : gap + ".");
}

std::optional<std::string> advice_on_gaps(const LadderReport& ladder, const Value& sampler) {
  const std::vector<std::string> gaps = gaps_of(ladder);
  if (gaps.empty()) return {};
  const std::string others = gaps.size() > 1 ? fmt::format(" (and {} more such)", gaps.size() - 1) : "";
  const char* by_hand = ladder_by_hand(sampler);
  return fmt::format("More steps hardly help: {}{}. Take more rungs ({}).", gaps.front(), others,
                     by_hand ? fmt::format("more numbers in sampler.{}", by_hand)
                             : fmt::format("--set sampler.num_rungs={}", 2 * ladder.betas.size()));
}

void warn_of_few_round_trips(const LadderReport& ladder, Index num_ladders, Display& display) {
  constexpr std::uint64_t few = 10;
  if (!ladder.any_proposed() || ladder.round_trips >= std::max<std::uint64_t>(num_ladders, few)) return;
  display.warn(fmt::format(
      "{} round trip{} of {} ladder{} is too few: rows may be in the modes that they began in, so that shares "
      "of modes are not to be believed. Raise --steps.",
      ladder.round_trips, ladder.round_trips == 1 ? "" : "s", num_ladders, num_ladders == 1 ? "" : "s"));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
