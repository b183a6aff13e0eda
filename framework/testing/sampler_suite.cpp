#include <harmonium/framework/testing/sampler_suite.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <random>

#include <boost/math/distributions/chi_squared.hpp>
#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/exact_chain.hpp>
#include <harmonium/framework/inference/rungs.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/ladder_suite.hpp>
#include <harmonium/framework/testing/last_means.hpp>
#include <harmonium/framework/testing/mean_changes.hpp>
#include <harmonium/framework/testing/model_suite.hpp>
#include <harmonium/framework/testing/reference_rows.hpp>
#include <harmonium/framework/testing/reversal.hpp>
#include <harmonium/framework/testing/shared_words.hpp>
#include <harmonium/framework/testing/stationarity.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

constexpr Index num_draws = 60'000;
/// Standard deviations that a mean of independent numbers exceeds with probability 1e-9.
constexpr double far_out = 6.1;

/// The rows of `from` beginning with `first` become those of `to`.
void copy_rows(const Layout& layout, const Chains& from, Index first, Chains& to) {
  for (const LayerId l : layout.ids()) {
    const ConstMatrixRef x = from.read(l);
    const MatrixRef out = to.write(l);
    for (Index r = 0; r < out.rows; ++r) std::copy_n(x.row(first + r), x.cols, out.row(r));
  }
}

class SamplerSuite {
 public:
  SamplerSuite(const std::function<std::unique_ptr<Sampler>()>& make, const EnergyModel& model, CheckReport& report)
      : make_(make), model_(model), layout_(model.layout()), report_(report) {}

  void run() {
    try {
      make_()->check(Target{model_});
    } catch (const CapabilityError& error) {
      report_.skip("sampler", error.what());
      return;
    }
    rungs_ = make_()->rungs();
    check_counting();
    check_movement();
    check_independence();
    check_shared_words(*adapted(), model_, report_);
    check_last_means(make_, model_, report_);
    check_threads();
    check_state();
    if (layout_.log2_states(layout_.all()) > most_enumerated) {
      check_reference_start();
    } else if (rungs_ > 1) {
      check_ladder(*adapted(), model_, report_);
    } else {
      check_exact_start();
      note_gibbs();
    }
    check_reversal();
  }

 private:
  /// Independent rows on the rungs that the sampler wants.
  Chains start(Index logical, std::uint64_t seed) const {
    Chains chains = random_rows(layout_, logical * rungs_, seed);
    assign_rungs(chains, rungs_);
    return chains;
  }
  SamplerReport advance(Sampler& sampler, Chains& chains, Index steps, int threads = 1) const {
    const Executor executor(threads);
    return sampler.advance(Target{model_}, chains, steps, {executor, {41, 43}});
  }
  std::unique_ptr<Sampler> adapted() const {
    std::unique_ptr<Sampler> sampler = make_();
    if (const Index steps = sampler->adaptation_steps(); steps > 0) {
      Chains chains = start(64, 3);
      advance(*sampler, chains, steps);
    }
    return sampler;
  }

  void check_counting() {
    Chains chains = start(8, 1);
    chains.set_step(5);
    advance(*make_(), chains, 3);
    report_.judge(
        "transitions are counted",
        chains.step() == 8
            ? ""
            : fmt::format("after 3 transitions from number 5 on, chains.step() is {}, and not 8", chains.step()),
        "chains.step() grows by the number of transitions");
  }

  void check_movement() {
    constexpr Index steps = 30;
    const std::unique_ptr<Sampler> sampler = adapted();
    Chains chains = start(200, 7);
    const Chains before = chains;
    note_acceptance(advance(*sampler, chains, steps));
    std::string complaint;
    for (const LayerId l : layout_.ids()) {
      const ConstMatrixRef x = before.read(l), y = chains.read(l);
      const Index width = layout_[l].unit->width();
      for (Index u = 0; u < layout_[l].size && complaint.empty(); ++u) {
        bool moved = false;
        for (Index r = 0; r < x.rows; ++r)
          moved = moved || !std::equal(x.row(r) + u * width, x.row(r) + (u + 1) * width, y.row(r) + u * width);
        if (!moved)
          complaint = fmt::format("layer '{}', unit {} is what it was in all of {} chains after {} transitions",
                                  layout_[l].name, u, x.rows, steps);
      }
    }
    report_.judge("every unit is moved", complaint, "each unit changed in some chain");
  }

  /// What can be refused, and how often it was; of a ladder its exchanges too.
  void note_acceptance(const SamplerReport& moves) {
    if (moves.proposed > 0)
      report_.add(CheckOutcome::noted, "acceptance",
                  moves.summary() + (moves.ill_chosen() ? ", so low that the proposals are ill chosen" : "") +
                      ", from independent rows of a law that is not the model's.");
    if (moves.ladder) report_.add(CheckOutcome::noted, "exchanges", moves.ladder->summary() + ".");
  }

  /// Independent rows for check_independence, from the law itself where it can be drawn: what a step has for all rows alike
  /// (the order of a random scan) makes rows that come from elsewhere depend on each other.
  class IndependentRows {
   public:
    IndependentRows(const EnergyModel& model, Index rungs) : model_(model) {
      const Layout& layout = model.layout();
      if (rungs > 1) return;
      if (layout.log2_states(layout.all()) <= most_enumerated) {
        calls_ = 256;
        space_.emplace(layout);
        drawing_.emplace(law_of(model_energies(model, *space_)));
      } else if (layout.columns(layout.all()) <= ReferenceRows::most_columns) {
        batch_ = 128;
        calls_ = 32;
        reference_.emplace(model, 1.0, HeldMask(), random_rows(layout, batch_ * calls_, 95), 96);
        reference_->sweep(ReferenceRows::burn_ins[0]);
      }
    }
    /// Rows of a call, and calls.
    Index batch() const { return batch_; }
    Index calls() const { return calls_; }
    /// Puts rows into `chains`, other ones in each call; leaves them as they are where the law is not at hand.
    void put(Index call, Chains& chains) {
      if (space_) {
        std::vector<std::size_t> states(batch_);
        for (std::size_t& s : states) s = (*drawing_)(random_);
        space_->put(states, chains);
      } else if (reference_) {
        copy_rows(model_.layout(), reference_->rows(), call * batch_, chains);
      }
    }

   private:
    const EnergyModel& model_;
    Index batch_ = 512, calls_ = 64;
    std::optional<StateSpace> space_;
    std::optional<Drawing> drawing_;
    std::optional<ReferenceRows> reference_;
    std::mt19937_64 random_{97};
  };

  /// Rows drawn independently of each other stay so, whatever the law: means over groups of rows vary as those of
  /// independent numbers do. T = g (mean of a group - mean of all)^2 / variance has mean 1 for any size g of group; words
  /// that the chains of a group share add (g - 1) times the correlation that they make.
  void check_independence() {
    const std::unique_ptr<Sampler> sampler = adapted();
    IndependentRows rows(model_, rungs_);
    const Index batch = rows.batch(), calls = rows.calls();
    std::vector<std::vector<double>> numbers(2);  // a logical chain each
    for (Index call = 0; call < calls; ++call) {
      Chains chains = start(batch, 1000 + call);
      rows.put(call, chains);
      // Whatever turns with the step, such as which rungs are exchanged, is the same in all calls.
      chains.set_step((400 + call) * 2520);
      advance(*sampler, chains, 1);
      std::vector<double> energy(chains.size());
      model_.energy(chains, energy);
      for (Index i = 0; i < batch; ++i) {
        double sum = 0.0, energies = 0.0;
        for (Index r = i * rungs_; r < (i + 1) * rungs_; ++r) {
          energies += energy[r];
          for (const LayerId l : layout_.ids()) {
            const ConstMatrixRef x = chains.read(l);
            for (Index c = 0; c < x.cols; ++c) sum += static_cast<double>(x(r, c));
          }
        }
        numbers[0].push_back(sum);
        numbers[1].push_back(energies);
      }
    }
    constexpr const char* names[] = {"the sum of a chain's units", "a chain's energy"};
    std::string complaint;
    double worst = 0.0;
    for (Index k = 0; k < numbers.size(); ++k) {
      const std::vector<double>& f = numbers[k];
      const auto n = static_cast<double>(f.size());
      double mean = 0.0, variance = 0.0;
      for (const double v : f) mean += v / n;
      for (const double v : f) variance += (v - mean) * (v - mean) / n;
      if (!(variance > 1e-12 * (1.0 + mean * mean))) continue;  // one number for all chains: nothing to be shared
      for (const Index size : {Index{2}, Index{4}, Index{32}, batch}) {
        const Index groups = f.size() / size;
        double ratio = 0.0, square = 0.0;
        for (Index g = 0; g < groups; ++g) {
          double own = 0.0;
          for (Index i = g * size; i < (g + 1) * size; ++i) own += (f[i] - mean) / static_cast<double>(size);
          const double t = own * own * static_cast<double>(size) / variance;
          ratio += t / static_cast<double>(groups);
          square += t * t / static_cast<double>(groups);
        }
        // Means of many are nearly normal: their squares add up to a chi-square. Of few, the sum of the T is.
        const double limit = size >= 32
                                 ? boost::math::quantile(boost::math::complement(
                                       boost::math::chi_squared(static_cast<double>(groups)), false_alarm)) /
                                       static_cast<double>(groups)
                                 : 1.0 + far_out * std::sqrt((square - ratio * ratio) / static_cast<double>(groups));
        if (ratio / limit <= worst) continue;
        worst = ratio / limit;
        if (ratio > limit)
          complaint = fmt::format(
              "{} varies {:.3g} times as much between groups of {} neighboring chains as between "
              "independent ones (limit {:.3g}). A random word is shared by chains: address it by the "
              "row.",
              names[k], ratio, size, limit);
      }
    }
    report_.judge(
        "chains are independent", complaint,
        fmt::format("{} chains in groups of 2, 4, 32 and {}: the variance between groups is at most {:.2g} of "
                    "the limit",
                    batch * calls, batch, worst));
  }

  void check_threads() {
    std::vector<Chains> ends;
    for (const int threads : {1, 3}) {
      const std::unique_ptr<Sampler> sampler = make_();
      advance(*sampler, ends.emplace_back(start(600, 5)), 3, threads);
    }
    report_.judge("any number of threads",
                  same_chains(ends[0], ends[1], layout_) ? "" : "chains end elsewhere on 3 threads than on 1",
                  "the same bits on 1 thread and on 3");
  }

  void check_state() {
    const Index half = std::max<Index>(make_()->adaptation_steps() / 2, 3);
    const std::unique_ptr<Sampler> whole = make_();
    Chains through = start(40, 9);
    advance(*whole, through, 2 * half);

    const std::unique_ptr<Sampler> first = make_();
    Chains chains = start(40, 9);
    advance(*first, chains, half);
    StateArchive saved;
    first->state(saved);
    const std::unique_ptr<Sampler> second = make_();
    std::string complaint;
    try {
      StateArchive loaded(saved.fields(), state_sizes(model_));
      second->state(loaded);
      Chains again = chains;
      advance(*first, chains, half);
      advance(*second, again, half);
      if (!same_chains(chains, through, layout_))
        complaint = fmt::format("{} transitions in two calls are not those of one call", 2 * half);
      else if (!same_chains(again, through, layout_))
        complaint = fmt::format(
            "a new sampler that was given the saved state goes on otherwise than the one that was "
            "saved ({} transitions, state(StateArchive&) of {} fields, {} more). Something that it "
            "remembers is not in its state.",
            half, saved.fields().size(), half);
    } catch (const std::exception& error) {
      complaint = fmt::format("the state that it saved cannot be loaded: {}", error.what());
    }
    report_.judge("state saved and restored", complaint, "goes on the same after its state was saved and restored");
  }

  void examine_one(const char* check, Sampler& sampler, const Scenario& scenario) {
    try {
      sampler.check(target_of(scenario));
    } catch (const CapabilityError& error) {
      report_.skip(check, error.what());
      return;
    }
    try {
      const Findings findings = examine(sampler, scenario);
      report_.judge(check, findings.complaint(), findings.law.summary());
    } catch (const std::logic_error& error) {
      report_.add(CheckOutcome::failed, check, error.what());
    }
  }

  /// What a sampler is asked whether it serves; the mask is of the first row alone.
  Target target_of(const Scenario& scenario) {
    mask_ = HeldMask(scenario.held_layers);
    if (!scenario.held_units.empty()) {
      Index first = 0;
      for (const LayerId l : layout_.ids()) {
        const auto begin = scenario.held_units[0].begin() + static_cast<std::ptrdiff_t>(first);
        mask_.hold_units(l, layout_[l].size, {begin, begin + static_cast<std::ptrdiff_t>(layout_[l].size)});
        first += layout_[l].size;
      }
    }
    Target target{model_};
    target.beta = scenario.beta;
    if (!scenario.held_layers.empty() || !scenario.held_units.empty()) target.held = &mask_;
    return target;
  }

  void check_exact_start() {
    const std::unique_ptr<Sampler> sampler = adapted();
    Scenario scenario{model_};
    scenario.draws = num_draws;
    // Behind the transitions of the adaptation.
    scenario.first_step = 1'000'000;
    examine_one("exact start, one transition", *sampler, scenario);
    Scenario warmer = scenario;
    warmer.beta = 0.6;
    warmer.steps = 3;
    warmer.batch = 240;
    examine_one("exact start at beta 0.6, three transitions", *sampler, warmer);
    if (layout_.size() > 1) {
      Scenario held = scenario;
      held.held_layers = layout_.observed();
      if (!(held.held_layers == layout_.all())) examine_one("exact start, observed layers held", *sampler, held);
    }
    const StateSpace space(layout_);
    Scenario units = scenario;
    std::vector<std::uint8_t> pattern(space.num_units());
    for (std::size_t u = 0; u < pattern.size(); ++u) pattern[u] = u % 3 == 0 ? 1 : 0;
    units.held_units = {pattern};
    examine_one("exact start, every third unit held", *sampler, units);
    // A temperature that is forgotten beside held units shows at another one only.
    units.beta = 0.6;
    units.draws = num_draws / 2;
    examine_one("exact start at beta 0.6, every third unit held", *sampler, units);
  }

  /// Where the law cannot be enumerated: rows that follow it by other means must go on to do so.
  void check_reference_start() {
    if (rungs_ > 1) {
      report_.skip("reference start",
                   "it has temperatures of its own, and there are too many states, or continuous units");
      return;
    }
    if (const Index columns = layout_.columns(layout_.all()); columns > ReferenceRows::most_columns) {
      report_.skip("reference start",
                   fmt::format("its layers have {} columns, and rows of {} at most can be drawn by other "
                               "means in a short time. Give 'check' a smaller model.",
                               columns, ReferenceRows::most_columns));
      return;
    }
    const std::unique_ptr<Sampler> sampler = adapted();
    examine_from_reference("reference start, three transitions", *sampler, 1.0, {});
    examine_from_reference("reference start at beta 0.8, three transitions", *sampler, 0.8, {});
    if (layout_.size() > 1 && !(layout_.observed() == layout_.all()))
      examine_from_reference("reference start, observed layers held", *sampler, 1.0, HeldMask(layout_.observed()));
    if (layout_.columns(layout_.all()) > 1)
      examine_from_reference("reference start at beta 0.8, every third unit held", *sampler, 0.8, every_third_held());
  }

  HeldMask every_third_held() const {
    HeldMask mask;
    Index number = 0;
    for (const LayerId l : layout_.ids()) {
      std::vector<std::uint8_t> bytes(reference_rows * layout_[l].size, 0);
      for (Index u = 0; u < layout_[l].size; ++u, ++number)
        for (Index r = 0; r < reference_rows && number % 3 == 0; ++r) bytes[r * layout_[l].size + u] = 1;
      mask.hold_units(l, layout_[l].size, std::move(bytes));
    }
    return mask;
  }

  static constexpr Index reference_rows = 2000;

  /// In two stages, so that most checks are short: a change of a mean that looks odd (one of twenty checks of a right
  /// sampler has one) is looked at again in eight times as many moves. A false alarm takes one stage or the other beyond its
  /// limit. In units of a standard deviation the second sees a change of 0.02, and one of 0.04 gets there, and is seen,
  /// 95 times of 100.
  void examine_from_reference(const char* check, Sampler& sampler, double beta, const HeldMask& held) {
    constexpr Index rows = reference_rows, steps = 3, stages[] = {16, 128};
    Target target{model_};
    target.beta = beta;
    if (!held.layers().empty() || held.any_units()) target.held = &held;
    try {
      sampler.check(target);
    } catch (const CapabilityError& error) {
      report_.skip(check, error.what());
      return;
    }
    ReferenceRows reference(model_, beta, held, random_rows(layout_, rows, 91), 91);
    const Executor executor(1);
    std::string unsettled;
    std::uint32_t first_chain = 0;
    for (const Index burn_in : ReferenceRows::burn_ins) {
      reference.sweep(burn_in);
      for (const Index moves : stages) {
        MeanChanges own(model_, rows), found(model_, rows);
        Index touched = 0;
        for (Index i = 0; i < moves; ++i, first_chain += static_cast<std::uint32_t>(rows)) {
          Chains chains(layout_, rows, first_chain);
          chains.set_step(1'000'000);
          copy_rows(layout_, reference.rows(), 0, chains);
          const Chains before = chains;
          sampler.advance(target, chains, steps, {executor, {41, 43}});
          found.add(before, chains);
          touched += held_changed(held, before, chains);
          reference.sweep(ReferenceRows::between);
          own.add(before, reference.rows());
        }
        unsettled = reference.complaint(own);
        if (!unsettled.empty()) break;
        std::string complaint = found.complaint().empty() ? "" : "the law drifts: " + found.complaint();
        if (touched > 0) complaint = fmt::format("held units changed in {} rows; ", touched) + complaint;
        if (complaint.empty() && found.odd() && moves != stages[1]) continue;
        report_.judge(check, complaint, found.summary());
        return;
      }
    }
    report_.skip(check, unsettled);
  }

  /// Rows in which something that was held is not what it was.
  Index held_changed(const HeldMask& held, const Chains& before, const Chains& after) const {
    std::vector<bool> changed(before.size(), false);
    for (const LayerId l : layout_.ids()) {
      const ConstMatrixRef x = before.read(l), y = after.read(l);
      const auto units = held.units(l, 0, x.rows);
      const Index width = layout_[l].unit->width();
      if (!held.holds(l) && units.empty()) continue;
      for (Index r = 0; r < x.rows; ++r)
        for (Index c = 0; c < x.cols; ++c)
          if (x(r, c) != y(r, c) && (held.holds(l) || units(r, c / width))) changed[r] = true;
    }
    return static_cast<Index>(std::ranges::count(changed, true));
  }

  /// A sampler that says what its reversal is: tempered transitions are wrong by as much as this is.
  void check_reversal() {
    const std::unique_ptr<Sampler> sampler = adapted();
    const std::unique_ptr<Sampler> reversal = sampler->reversal();
    if (!reversal) return;
    if (rungs_ > 1) {
      report_.skip("reversal", "it has temperatures of its own, and chains at the target are no rows of their law");
      return;
    }
    if (layout_.log2_states(layout_.all()) <= most_enumerated) {
      const auto examine = [&](const char* check, double beta, const std::vector<std::uint8_t>& held) {
        const ReversalFindings findings =
            examine_reversal(*sampler, *reversal, model_, beta, held, num_draws, 1'000'000);
        report_.judge(check, findings.complaint(), findings.summary());
      };
      const StateSpace space(layout_);
      std::vector<std::uint8_t> thirds(space.num_units());
      for (std::size_t u = 0; u < thirds.size(); ++u) thirds[u] = u % 3 == 0 ? 1 : 0;
      examine("reversal", 1.0, {});
      examine("reversal at beta 0.6", 0.6, {});
      examine("reversal, every third unit held", 1.0, thirds);
      return;
    }
    if (layout_.columns(layout_.all()) > ReferenceRows::most_columns) {
      report_.skip("reversal",
                   "as with 'reference start', rows of its law cannot be drawn by other means in a short time");
      return;
    }
    examine_reversal_from_reference("reversal", *sampler, *reversal, 1.0, {});
    examine_reversal_from_reference("reversal at beta 0.8", *sampler, *reversal, 0.8, {});
    if (layout_.columns(layout_.all()) > 1)
      examine_reversal_from_reference("reversal, every third unit held", *sampler, *reversal, 1.0, every_third_held());
  }

  void examine_reversal_from_reference(const char* check, Sampler& sampler, Sampler& reversal, double beta,
                                       const HeldMask& held) {
    constexpr Index moves = 8;
    Target target{model_};
    target.beta = beta;
    if (held.any_units()) target.held = &held;
    ReferenceRows reference(model_, beta, held, random_rows(layout_, reference_rows, 93), 93);
    std::string unsettled;
    for (const Index burn_in : ReferenceRows::burn_ins) {
      reference.sweep(burn_in);
      MeanChanges own(model_, reference_rows);
      FlowMoments flow(model_, reference_rows);
      const Executor executor(1);
      for (Index i = 0; i < moves; ++i) {
        Chains start(layout_, reference_rows, static_cast<std::uint32_t>(i * reference_rows));
        start.set_step(1'000'000);
        copy_rows(layout_, reference.rows(), 0, start);
        Chains forward = start, backward = start;
        sampler.advance(target, forward, 1, {executor, {47, 53}});
        reversal.advance(target, backward, 1, {executor, {47, 59}});
        flow.add(start, forward, backward);
        reference.sweep(ReferenceRows::between);
        own.add(start, reference.rows());
      }
      flow.next_rows();
      unsettled = reference.complaint(own);
      if (!unsettled.empty()) continue;
      report_.judge(check, flow.complaint(), flow.summary());
      return;
    }
    report_.skip(check, unsettled);
  }

  /// Worth knowing of whatever claims to be Gibbs sampling, made faster.
  void note_gibbs() {
    if (!model_.block_conditionals() || ExactChain::log2_entries(model_) > most_enumerated) return;
    const ExactChain chain(model_);
    if (chain.num_states() > 256) return;
    const std::unique_ptr<Sampler> sampler = adapted();
    const TransitionFindings findings = examine_transitions(*sampler, chain, 1, 500, 100'000);
    report_.add(CheckOutcome::noted, "transitions against those of Gibbs sampling",
                (findings.matrix.rejected() ? "they are other ones, as they may be: " : "they are the same: ") +
                    findings.matrix.summary());
  }

  const std::function<std::unique_ptr<Sampler>()>& make_;
  const EnergyModel& model_;
  const Layout& layout_;
  CheckReport& report_;
  Index rungs_ = 1;
  HeldMask mask_;
};

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
  SamplerSuite(make, model, report).run();
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
