#include <harmonium/framework/inference/mixing.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/diagnostics/series.hpp>
#include <harmonium/framework/inference/annealing.hpp>
#include <harmonium/framework/inference/bound_states.hpp>
#include <harmonium/framework/inference/finite_chains.hpp>
#include <harmonium/framework/inference/observables.hpp>
#include <harmonium/framework/inference/rungs.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double stuck_r_hat = 1.5;  // chains of a length of a few autocorrelation times have less
constexpr double most_r_hat = 1.05, most_apart = 2.0, enough_times = 50.0;
constexpr double least_resolved = 20.0;  // times τ; R-hat of half a chain is some 1 + τ/n, and 1.05 there
constexpr double margin = 1.25;

/// `rungs` neighbors of each chain begin alike.
Chains started(const EnergyModel& model, const Chains* data, Index group, Index rungs, std::vector<std::string>& starts,
               const RandomSource& random) {
  const Layout& layout = model.layout();
  starts = {"lowest states", "highest states", "uniform draws"};
  if (data) starts.emplace_back("rows of the data");
  Chains chains(layout, starts.size() * group * rungs);
  AnnealingBase::uniform(model).draw(nullptr, random, chains);
  set_to_bound(layout, Bound::lowest, 0, group * rungs, chains);
  set_to_bound(layout, Bound::highest, group * rungs, 2 * group * rungs, chains);
  for (Index c = 0; data && c < group; ++c) {
    const Index row = c * data->size() / group;
    for (Index k = 0; k < rungs; ++k)
      chains.copy_rows(layout.observed(), {*data, row, row + 1}, (3 * group + c) * rungs + k);
  }
  assign_rungs(chains, rungs);
  return chains;
}

ObservableMixing mixing_of(std::string name, Series series, Index group) {
  ObservableMixing o{std::move(name)};
  double squares = 0.0;
  const auto n = static_cast<double>(series.rows * series.cols);
  for (Index r = 0; r < series.rows; ++r)
    for (const double v : series[r]) o.mean += v / n;
  for (Index r = 0; r < series.rows; ++r)
    for (const double v : series[r]) squares += (v - o.mean) * (v - o.mean);
  o.monotone_time = monotone_autocorrelation_time(series);
  o.batch_time = batch_means_autocorrelation_time(series);
  o.r_hat = rank_normalized_r_hat(series);
  o.equal_means = equal_means_probability(series, group);
  o.forgotten_halves = forgotten_halves_probability(series);
  o.error = std::sqrt(squares / n * o.time() / n);
  return o;
}

void judge(MixingReport& report, double false_alarm) {
  const double level = false_alarm / static_cast<double>(report.observables.size());
  bool stuck = false, shown = true;
  std::vector<std::pair<double, std::string>> against;  // with R-hat
  for (ObservableMixing& o : report.observables) {
    std::string why;
    const double apart =
        std::max(o.monotone_time, o.batch_time) / std::max(1.0, std::min(o.monotone_time, o.batch_time));
    if (o.equal_means < level) why = fmt::format("its mean depends on where chains start (p = {:.2g})", o.equal_means);
    else if (o.r_hat > most_r_hat) why = fmt::format("R-hat is {:.3f}", o.r_hat);
    else if (o.time() * enough_times > static_cast<double>(report.num_steps))
      why = fmt::format("its autocorrelation time is about {:.3g} steps, and {} steps are not {:g} times that",
                        o.time(), report.num_steps, enough_times);
    else if (apart > most_apart)
      why = fmt::format("two estimates of its autocorrelation time do not agree: {:.3g} and {:.3g} steps",
                        o.monotone_time, o.batch_time);
    o.fails = !why.empty();
    if (o.fails) against.emplace_back(o.r_hat, o.name + ": " + why);
    stuck = stuck || kept_apart(o, level);
    shown = shown && o.r_hat <= most_r_hat && apart <= most_apart;
  }
  std::ranges::stable_sort(against, std::greater(), &std::pair<double, std::string>::first);
  for (auto& [r_hat, why] : against) report.why.push_back(std::move(why));
  report.mixed = report.why.empty();
  report.too_short = !report.mixed && !stuck;
  report.only_length = report.too_short && shown && report.shows_times();
}

}  // namespace

bool kept_apart(const ObservableMixing& number, double level) {
  return number.equal_means < level || (number.r_hat > stuck_r_hat && number.forgotten_halves < level);
}

const ObservableMixing& MixingReport::slowest() const {
  return *std::ranges::max_element(observables, {}, [](const ObservableMixing& o) { return o.time(); });
}

bool MixingReport::shows_times() const { return slowest().time() * least_resolved <= static_cast<double>(num_steps); }

double MixingReport::effective_sample_size() const {
  return static_cast<double>(num_chains * num_steps) / slowest().time();
}

std::optional<double> MixingReport::steps_wanted() const {
  if (!only_length) return {};
  return 2.0 * margin * enough_times * slowest().time();  // the first half is not used
}

MixingReport examine_mixing(const EnergyModel& model, Sampler& sampler, const Chains* data, const MixingPlan& plan,
                            const Execution& execution) {
  const Target target{.model = model, .beta = plan.beta};
  sampler.check(target);
  MixingReport report;
  const Index rungs = sampler.rungs();
  Chains chains = started(model, data, plan.chains_per_start, rungs, report.starts, execution.random.child("start"));
  report.modes = LeadingModes(model);
  const Observables observables(model, report.modes);
  report.num_chains = chains.size() / rungs;
  report.num_steps = plan.num_steps / 2;
  const Index width = observables.names().size();
  std::vector<double> found(report.num_chains * width), kept(found.size() * report.num_steps);
  const auto step = [&](Index t) {
    report.moves.add(sampler.advance(target, chains, 1, execution.part("sampler")));
    check_finite(chains, model.layout());
    execution.executor.check_stop();
    if (execution.display)
      execution.display->progress(static_cast<double>(t) / static_cast<double>(plan.num_steps), "running chains");
  };
  const Index unused = plan.unused();
  const Index times =
      plan.num_rows == 0 ? 0 : std::clamp<Index>(plan.num_rows / report.num_chains, 1, report.num_steps);
  report.rows = Chains(model.layout(), times * report.num_chains);
  Index kept_times = 0;
  for (Index t = 0; t < unused; ++t) step(t);
  for (Index t = 0; t < report.num_steps; ++t) {
    step(unused + t);
    const MatrixView<double> out{found.data(), report.num_chains, width, width};
    const Chains at_target = rungs == 1 ? Chains() : rows_at_target(chains, model.layout());
    const Chains& now = rungs == 1 ? chains : at_target;
    observables.evaluate(now, execution.executor, out);
    if ((t + 1) * times / report.num_steps > kept_times)
      report.rows.copy_rows(model.layout().all(), now, kept_times++ * report.num_chains);
    for (Index c = 0; c < report.num_chains; ++c)
      for (Index o = 0; o < width; ++o) kept[(o * report.num_chains + c) * report.num_steps + t] = out(c, o);
  }
  for (Index o = 0; o < width; ++o)
    report.observables.push_back(mixing_of(
        observables.names()[o],
        {&kept[o * report.num_chains * report.num_steps], report.num_chains, report.num_steps, report.num_steps},
        plan.chains_per_start));
  judge(report, plan.false_alarm);
  return report;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
