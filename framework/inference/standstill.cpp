#include <harmonium/framework/inference/standstill.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/stream.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double log_fault = -9.0 * 2.302585092994046;  // 1e-9

}  // namespace

std::vector<std::uint64_t> Standstill::prints(const Chains& chains, LayerId layer) const {
  const ConstMatrixRef x = chains.read(layer);
  std::vector<std::uint64_t> prints(x.rows, 0);
  for (Index r = 0; r < x.rows; ++r)
    for (Index c = 0; c < x.cols; ++c)
      prints[r] = mix64(prints[r] + 0x9e3779b97f4a7c15u + std::bit_cast<std::uint64_t>(static_cast<double>(x(r, c))));
  return prints;
}

void Standstill::started(const Chains& chains, const HeldMask* held) {
  before_.assign(layout_.size(), {});
  free_.assign(layout_.size(), {});
  for (const LayerId l : layout_.ids()) {
    if (!goes_by_energy(*layout_[l].unit) || (held && held->holds(l))) continue;
    const auto units = held ? held->units(l, 0, chains.size()) : MatrixView<const std::uint8_t>{};
    std::vector<bool>& free = free_[static_cast<Index>(l)];
    free.assign(chains.size(), true);
    for (Index r = 0; r < chains.size() && !units.empty(); ++r)
      free[r] = std::any_of(units.row(r), units.row(r) + units.cols, [](std::uint8_t byte) { return byte == 0; });
    before_[static_cast<Index>(l)] = prints(chains, l);
  }
}

void Standstill::ended(const Chains& chains, std::uint64_t transitions) {
  for (const LayerId l : layout_.ids()) {
    const auto i = static_cast<Index>(l);
    if (before_[i].empty()) continue;
    const std::vector<std::uint64_t> after = prints(chains, l);
    for (Index r = 0; r < after.size(); ++r) {
      if (!free_[i][r]) continue;
      ++counts_[i].rows;
      if (after[r] == before_[i][r]) ++counts_[i].still;
    }
    counts_[i].transitions = transitions;
  }
}

std::string Standstill::complaint(const SamplerReport& moves) const {
  const double min = moves.min_acceptance;
  if (moves.proposed == 0 || !(min > 0.0)) return {};
  bool continuous = false;
  const auto layers = static_cast<double>(layout_.size());
  for (const LayerId l : layout_.ids()) {
    const Count& count = counts_[static_cast<Index>(l)];
    if (count.rows == 0) continue;
    continuous = true;
    if (count.still == 0 || count.transitions == 0) continue;
    const double log_p = static_cast<double>(count.transitions) * std::log1p(-min);
    const double share = static_cast<double>(count.still) / static_cast<double>(count.rows);
    if (std::log(share) > log_p &&
        log_binomial_tail(share, static_cast<double>(count.rows), log_p) < log_fault - std::log(layers))
      return fmt::format("layer '{}' stands where it started in {} of {} rows, after {} transitions ({})",
                         layout_[l].name, count.still, count.rows, count.transitions, moves.summary());
  }
  if (!continuous && moves.acceptance == 0.0 && static_cast<double>(moves.proposed) * std::log1p(-min) < log_fault)
    return fmt::format("every row stands where it started: none of {} proposals was accepted", moves.proposed);
  return {};
}

void check_adapted(const Sampler& sampler, std::string_view name, std::uint64_t first, std::string_view where,
                   FunctionRef<std::string(std::uint64_t least)> amount, std::string_view taken) {
  const Index adapting = sampler.adaptation_steps();
  if (adapting == 0 || first > adapting) return;
  throw ConfigError(fmt::format(
      "{}: {} adapts itself during its first {} transitions, and {} no fixed law. Give {} or more, or adapt for fewer "
      "(sampler.adapt_steps).",
      where, name.empty() ? "the sampler" : fmt::format("sampler '{}'", name), adapting, taken, amount(adapting + 1)));
}

std::string proposal_remedy(const Value& effective, const std::string& path, double acceptance) {
  const bool refused = acceptance < SamplerReport::usual_min_acceptance;
  const auto advice = [&](const char* option, const char* where_refused, const char* where_accepted) -> std::string {
    const Value* value = effective.find(option);
    if (!value) return {};
    const auto* real = std::get_if<double>(&value->data);
    const auto* whole = std::get_if<std::int64_t>(&value->data);
    return fmt::format("{} {}.{}, which is {}.", refused ? where_refused : where_accepted, path, option,
                       real ? fmt::format("{:g}", *real) : fmt::format("{}", whole ? *whole : 0));
  };
  for (const auto& text : {advice("step_size", "Lower", "Raise"), advice("scale", "Lower", "Raise"),
                           advice("num_temperatures", "Raise", "Lower")})
    if (!text.empty()) return text;
  const Value* inner = effective.find("sampler");
  return inner ? proposal_remedy(*inner, path + ".sampler", acceptance) : "Take another sampler.";
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
