#include <harmonium/framework/testing/shared_words.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/rungs.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/pair_independence.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

constexpr Index word_calls = 320, most_watched = 12;
/// Logical chains of the two batches; the first is cut into several tiles.
constexpr Index first_batch = 288, second_batch = 48, all_chains = first_batch + second_batch;
constexpr std::uint64_t first_step = 1'000'000, far_step = std::uint64_t{1} << 32;

/// A unit, and its values after each call: of a unit of several columns the number of its state, or another sum.
struct WatchedUnit {
  LayerId layer;
  Index unit;
  PairIndependence values{word_calls, all_chains};
};

std::vector<WatchedUnit> watched_units(const Layout& layout) {
  std::vector<std::pair<LayerId, Index>> all;
  for (const LayerId l : layout.ids())
    for (Index u = 0; u < layout[l].size; ++u) all.emplace_back(l, u);
  const Index kept = std::min(all.size(), most_watched);
  std::vector<WatchedUnit> some;
  for (Index i = 0; i < kept; ++i)
    some.push_back({all[i * all.size() / kept].first, all[i * all.size() / kept].second});
  return some;
}

/// Hot, where the sampler takes that, so that no unit is nearly sure of its state.
Target warm_target(const Sampler& sampler, const EnergyModel& model) {
  Target target{model};
  target.beta = 0.25;
  try {
    sampler.check(target);
  } catch (const CapabilityError&) {
    target.beta = 1.0;
  }
  return target;
}

double value_of_unit(ConstMatrixRef x, Index row, Index unit, Index width) {
  double sum = 0.0;
  for (Index c = 0; c < width; ++c) sum += static_cast<double>(c + 1) * static_cast<double>(x(row, unit * width + c));
  return sum;
}

/// `num` logical chains in the state of `state`, at the rungs that the sampler wants.
Chains copies_of_state(const Layout& layout, const Chains& state, Index num, Index rungs, Index first) {
  Chains chains(layout, num * rungs, static_cast<std::uint32_t>(first * rungs));
  for (const LayerId l : layout.ids()) {
    const ConstMatrixRef from = state.read(l);
    const MatrixRef to = chains.write(l);
    for (Index r = 0; r < to.rows; ++r) std::copy_n(from.row(0), from.cols, to.row(r));
  }
  assign_rungs(chains, rungs);
  return chains;
}

}  // namespace

void check_shared_words(Sampler& sampler, const EnergyModel& model, CheckReport& report) {
  const Layout& layout = model.layout();
  const Index rungs = sampler.rungs();
  const Executor executor(1);
  const Chains state = random_rows(layout, 1, 101);
  const Target target = warm_target(sampler, model);
  std::vector<WatchedUnit> watched = watched_units(layout);
  for (Index call = 0; call < word_calls; ++call)
    for (const Index first : {Index{0}, first_batch}) {
      const Index num = first == 0 ? first_batch : second_batch;
      Chains chains = copies_of_state(layout, state, num, rungs, first);
      chains.set_step(first_step + call % (word_calls / 2) + (call < word_calls / 2 ? 0 : far_step));
      sampler.advance(target, chains, 1, {executor, {41, 43}});
      for (WatchedUnit& one : watched) {
        const ConstMatrixRef x = chains.read(one.layer);
        const Index width = layout[one.layer].unit->width();
        for (Index r = 0; r < x.rows; ++r)  // of each logical chain the row that is at the target
          if (chains.rung()[r] == 0) one.values(call, first + r / rungs) = value_of_unit(x, r, one.unit, width);
      }
    }

  constexpr const char* check = "no random word is shared";
  std::string complaint;
  double of_pair = 0.0, of_lag = 0.0;
  Index used = 0;
  for (const WatchedUnit& one : watched) {
    const PairIndependence::Findings found = one.values.examine(watched.size(), "chain", "transition");
    if (found.used < word_calls / 4) continue;
    ++used;
    of_pair = std::max(of_pair, found.of_pair);
    of_lag = std::max(of_lag, found.of_lag);
    if (complaint.empty() && !found.complaint.empty())
      complaint = fmt::format(
          "{} chains, all from one state in each of {} transitions: {} in layer '{}', unit {}. A random word serves "
          "both: address it by the chain's own number (first_chain() and the row), the step, the layer and the unit.",
          all_chains, word_calls, found.complaint, layout[one.layer].name, one.unit);
  }
  if (used == 0) {
    report.skip(check, fmt::format("nearly all of {} chains that start from one state are alike after a transition",
                                   all_chains));
    return;
  }
  report.judge(check, complaint,
               fmt::format("{} chains, all from one state in each of {} transitions: no two chains and no two "
                           "transitions depend on each other in any of {} units; a correlation of {:.2f} would be "
                           "seen, and of {:.2f} at one distance",
                           all_chains, word_calls, used, of_pair, of_lag));
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
