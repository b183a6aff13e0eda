#include <harmonium/framework/testing/sampler_suite.hpp>

#include <algorithm>
#include <exception>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/ladder_suite.hpp>
#include <harmonium/framework/testing/last_means.hpp>
#include <harmonium/framework/testing/sampler_checks.hpp>
#include <harmonium/framework/testing/shared_words.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

void check_counting(const SamplerSubject& s) {
  Chains chains = s.start(8, 1);
  chains.set_step(5);
  s.advance(*s.make(), chains, 3);
  s.report.judge(
      "transitions are counted",
      chains.step() == 8
          ? ""
          : fmt::format("after 3 transitions from number 5 on, chains.step() is {}, and not 8", chains.step()),
      "chains.step() grows by the number of transitions");
}

/// What can be refused, and how often it was; of a ladder its exchanges too.
void note_acceptance(const SamplerSubject& s, const SamplerReport& moves) {
  if (moves.proposed > 0)
    s.report.add(CheckOutcome::noted, "acceptance",
                 moves.summary() + (moves.ill_chosen() ? ", so low that the proposals are ill chosen" : "") +
                     ", from independent rows of a law that is not the model's.");
  if (moves.ladder) s.report.add(CheckOutcome::noted, "exchanges", moves.ladder->summary() + ".");
}

void check_movement(const SamplerSubject& s) {
  constexpr Index steps = 30;
  const std::unique_ptr<Sampler> sampler = s.adapted();
  Chains chains = s.start(200, 7);
  const Chains before = chains;
  note_acceptance(s, s.advance(*sampler, chains, steps));
  std::string complaint;
  for (const LayerId l : s.layout.ids()) {
    const ConstMatrixRef x = before.read(l), y = chains.read(l);
    const Index width = s.layout[l].unit->width();
    for (Index u = 0; u < s.layout[l].size && complaint.empty(); ++u) {
      bool moved = false;
      for (Index r = 0; r < x.rows; ++r)
        moved = moved || !std::equal(x.row(r) + u * width, x.row(r) + (u + 1) * width, y.row(r) + u * width);
      if (!moved)
        complaint = fmt::format("layer '{}', unit {} is what it was in all of {} chains after {} transitions",
                                s.layout[l].name, u, x.rows, steps);
    }
  }
  s.report.judge("every unit is moved", complaint, "each unit changed in some chain");
}

void check_sampling_threads(const SamplerSubject& s) {
  std::vector<Chains> ends;
  for (const int threads : {1, 3}) {
    const std::unique_ptr<Sampler> sampler = s.make();
    s.advance(*sampler, ends.emplace_back(s.start(600, 5)), 3, threads);
  }
  s.report.judge("any number of threads",
                 same_chains(ends[0], ends[1], s.layout) ? "" : "chains end elsewhere on 3 threads than on 1",
                 "the same bits on 1 thread and on 3");
}

void check_sampler_state(const SamplerSubject& s) {
  const Index half = std::max<Index>(s.make()->adaptation_steps() / 2, 3);
  const std::unique_ptr<Sampler> whole = s.make();
  Chains through = s.start(40, 9);
  s.advance(*whole, through, 2 * half);

  const std::unique_ptr<Sampler> first = s.make();
  Chains chains = s.start(40, 9);
  s.advance(*first, chains, half);
  StateArchive saved;
  first->state(saved);
  const std::unique_ptr<Sampler> second = s.make();
  std::string complaint;
  try {
    StateArchive loaded(saved.fields(), state_sizes(s.model));
    second->state(loaded);
    Chains again = chains;
    s.advance(*first, chains, half);
    s.advance(*second, again, half);
    if (!same_chains(chains, through, s.layout))
      complaint = fmt::format("{} transitions in two calls are not those of one call", 2 * half);
    else if (!same_chains(again, through, s.layout))
      complaint = fmt::format(
          "a new sampler that was given the saved state goes on otherwise than the one that was "
          "saved ({} transitions, state(StateArchive&) of {} fields, {} more). Something that it "
          "remembers is not in its state.",
          half, saved.fields().size(), half);
  } catch (const std::exception& error) {
    complaint = fmt::format("the state that it saved cannot be loaded: {}", error.what());
  }
  s.report.judge("state saved and restored", complaint, "goes on the same after its state was saved and restored");
}

}  // namespace

bool same_chains(const Chains& a, const Chains& b, const Layout& layout) {
  if (a.size() != b.size() || a.step() != b.step() || !std::ranges::equal(a.rung(), b.rung())) return false;
  return std::ranges::all_of(layout.ids(), [&](LayerId l) {
    const ConstMatrixRef x = a.read(l), y = b.read(l);
    for (Index r = 0; r < x.rows; ++r)
      if (!std::equal(x.row(r), x.row(r) + x.cols, y.row(r))) return false;
    return true;
  });
}

void check_sampler(const std::function<std::unique_ptr<Sampler>()>& make, const EnergyModel& model,
                   CheckReport& report) {
  try {
    make()->check(Target{model});
  } catch (const CapabilityError& error) {
    report.skip("sampler", error.what());
    return;
  }
  const SamplerSubject s(make, model, report);
  check_counting(s);
  check_movement(s);
  check_chain_independence(s);
  check_shared_words(*s.adapted(), model, report);
  check_last_means(make, model, report);
  check_sampling_threads(s);
  check_sampler_state(s);
  if (!s.enumerable()) {
    check_reference_start(s);
  } else if (s.rungs > 1) {
    check_ladder(*s.adapted(), model, report);
  } else {
    check_exact_start(s);
    note_gibbs(s);
  }
  check_reversal(s);
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
