#include <harmonium/program/work/verdict.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/config/subtable.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/diagnostics/two_digits.hpp>
#include <harmonium/framework/inference/operations.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/ladder_warnings.hpp>
#include <harmonium/program/work/law_of_draws.hpp>
#include <harmonium/program/work/likelihood_of_rows.hpp>
#include <harmonium/program/work/tempering_words.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double least_steps = 500.0, most_steps = 2000.0, share_of_run = 0.02;

/// The transitions that chains of the negative phase make in an update, and where they start.
struct ChainsOfRun {
  std::string start, sampler;
  double steps = 0.0;
};
std::optional<ChainsOfRun> chains_of_run(const Value& config) {
  const Value* estimator = subtable(config, "estimator");
  const Value* negative = estimator ? subtable(*estimator, "negative") : nullptr;
  if (!negative) return {};
  const Value *start = negative->find("start"), *steps = negative->find("gibbs_steps");
  const Value* sampler = subtable(*negative, "sampler");
  const Value* type = sampler ? sampler->find("type") : nullptr;
  if (!start || !start->is_string() || !steps || !steps->number() || !type || !type->is_string()) return {};
  return ChainsOfRun{std::get<std::string>(start->data), std::get<std::string>(type->data), *steps->number()};
}

/// The run's chains, where they start anew in every update and are of the kind that was looked at.
std::optional<ChainsOfRun> fresh_chains(const std::string& sampler, const Value& config) {
  std::optional<ChainsOfRun> run = chains_of_run(config);
  if (!run || sampler != "gibbs" || run->sampler != "gibbs" || (run->start != "data" && run->start != "uniform"))
    return {};
  if (run->start == "uniform") run->start = "uniform draws";
  else run->start = "the data";
  return run;
}

/// Whether k steps leave hardly anything of where a chain began: of an observable with ρ(t) = ρ^t, whose time is
/// τ = (1 + ρ) / (1 − ρ), they leave ρ^k, and e^−2 of it at k = τ where that is long.
bool forgotten(double time, double steps) {
  const double correlation = std::max(time - 1.0, 0.0) / (time + 1.0);
  return std::pow(correlation, steps) <= std::exp(-2.0);
}

/// How many steps more are to be had, and why so many.
std::string advice_on_steps(const Diagnosis& found, const std::string& sampler, const KnownOfModel& model) {
  if (found.steps_decide)
    return fmt::format(
        "Take more steps (--steps {}), so that the half of them that is used is 50 times the longest autocorrelation "
        "time and a quarter more.",
        *found.advised_steps);
  const std::string other = sampler == "gibbs" && !model.tempered.empty()
                                ? fmt::format(", or a sampler that passes between modes ({})", model.tempered)
                                : "";
  return fmt::format(
      "Take more steps (--steps {}){}. So short a series does not show the time that chains need: ten times as many "
      "steps are a guess.",
      *found.advised_steps, other);
}

/// Whether samples of these chains are to be trusted, or what will tell; and what is known of log Z without them.
std::string advice_on_samples(const Diagnosis& found, LogZ log_z) {
  const char* exactly = " log Z and likelihoods do not need them: evaluate finds them exactly.";
  if (!found.too_short)
    return log_z == LogZ::exact
               ? std::string("Samples of these chains are not to be trusted.") + exactly
               : "Samples of these chains, and a log Z from one side, are not to be trusted: evaluate --log-z ais says "
                 "whether both sides agree.";
  return fmt::format(
      "Whether samples of these chains are to be trusted is not known yet: {}.{}",
      found.steps_decide    ? "nothing but the length of the series speaks against it, and that many "
                              "steps decide"
      : found.advised_steps ? "their starts do not differ, and a longer series will tell"
                            : "their starts do not differ, and a ladder without gaps will tell",
      log_z == LogZ::exact ? exactly : " Of log Z evaluate --log-z ais says whether both of its sides agree.");
}

/// Settles how many steps are advised, where more of them may help.
void advise_steps(const MixingReport& report, Diagnosis& found) {
  constexpr std::uint64_t times_as_many = 10;  // where the series does not show how many it takes
  const std::optional<double> wanted = found.too_short ? report.steps_wanted() : std::nullopt;
  found.steps_decide = wanted.has_value();
  found.advised_steps =
      wanted ? static_cast<std::uint64_t>(up_to_two_digits(*wanted)) : times_as_many * 2 * found.num_steps;
}

/// What to do about it, and what the training could know.
std::vector<std::string> advice_on(const Diagnosis& found, const std::string& sampler, const KnownOfModel& model,
                                   const std::optional<std::string>& on_gaps, const std::optional<ChainsOfRun>& run) {
  std::vector<std::string> advice;
  if (found.advised_steps) advice.push_back(advice_on_steps(found, sampler, model));
  else if (!found.mixed && on_gaps && found.advice.empty()) advice.push_back(*on_gaps);
  if (found.run_mixed == false)
    advice.push_back(fmt::format(
        "The run took gibbs_steps = {:g}, and {} forgets itself in about {:.3g} steps: chains that start at "
        "{} see little of what the model does elsewhere.",
        run->steps, found.slowest, found.autocorrelation_time, run->start));
  if (!found.mixed) advice.push_back(advice_on_samples(found, model.log_z));
  return advice;
}

/// Chains that never come to some states agree with each other all the same. How far independent draws would be goes by how many
/// these are worth: where the series is too short for that, nothing is decided by it.
void judge_law(const std::optional<TotalVariation>& apart, const std::string& sampler, const MixingReport& report,
               Diagnosis& found) {
  constexpr double times_of_independent = 3.0;
  if (!apart) return;
  found.total_variation = apart->distance;
  found.total_variation_floor = apart->floor;
  if (apart->distance <= times_of_independent * apart->floor) return;
  if (found.mixed)
    found.advice.push_back(fmt::format(
        "The chains agree and yet follow another law: from where they started this sampler does not come to all "
        "states. Take another one, such as {}.",
        sampler == "gibbs" ? "parallel_tempering" : "gibbs"));
  const std::string why =
      fmt::format("the total variation of the observed law is {:.3g}, and of independent draws {:.3g}", apart->distance,
                  apart->floor);
  if (report.too_short && !report.shows_times()) {
    found.why.push_back(why);
    return;
  }
  found.mixed = found.too_short = false;
  found.why.insert(found.why.begin(), why);
}

std::string verdict_line(const Diagnosis& d, const std::optional<ChainsOfRun>& run) {
  const std::string of_run =
      d.run_mixed == false
          ? fmt::format(". Chains of the run's updates do not mix: gibbs_steps = {:g}, from {}", run->steps, run->start)
          : "";
  if (d.mixed)
    return fmt::format("mixed: {} chains from {} starts follow one law; {} forgets itself in about {:.3g} steps{}",
                       d.num_chains, d.starts.size(), d.slowest, d.autocorrelation_time, of_run);
  const std::string rest = d.why.size() > 1 ? fmt::format(" (and {} more)", d.why.size() - 1) : "";
  if (const std::string look = d.short_look(); !look.empty())
    return fmt::format("not decided: {}: {}{}", look, d.why[0], rest);
  return fmt::format("{} in {} steps: {}{}", d.too_short ? "not decided" : "not mixed", 2 * d.num_steps, d.why[0],
                     rest);
}

}  // namespace

std::optional<Index> steps_of_fresh_chains(const Value& config) {
  const std::optional<ChainsOfRun> run = chains_of_run(config);
  if (!run || run->start != "uniform" || run->sampler != "gibbs" || !(run->steps >= 1.0)) return {};
  return static_cast<Index>(run->steps);
}

KnownOfModel known_of(const EnergyModel& model, double beta, const Registries& registries) {
  return {tempering_words(model, beta, registries), quickly_exact(model, registries) ? LogZ::exact : LogZ::estimated};
}

Diagnosis diagnosis_of(const MixingReport& report, const std::string& sampler, const Value& sampler_table,
                       const KnownOfModel& model, const Value& config, const std::optional<TotalVariation>& apart) {
  Diagnosis found;
  found.starts = report.starts;
  found.num_chains = report.num_chains;
  found.num_steps = report.num_steps;
  for (const ObservableMixing& o : report.observables)
    found.numbers.push_back({o.name, o.mean, o.error, o.monotone_time, o.batch_time, o.r_hat, o.equal_means});
  found.slowest = report.slowest().name;
  found.autocorrelation_time = report.slowest().time();
  found.effective_sample_size = report.effective_sample_size();
  if (report.moves.ladder) found.moves = report.moves.ladder->summary();
  else if (report.moves.proposed > 0) found.moves = report.moves.summary();
  found.mixed = report.mixed;
  found.too_short = report.too_short;
  found.why = report.why;
  judge_law(apart, sampler, report, found);
  found.coupling = report.modes.coupling;
  found.singular_values = report.modes.singular_values;
  const std::optional<ChainsOfRun> run = fresh_chains(sampler, config);
  if (run) found.run_mixed = forgotten(found.autocorrelation_time, run->steps);
  const std::optional<std::string> on_gaps =
      report.moves.ladder ? advice_on_gaps(*report.moves.ladder, sampler_table) : std::nullopt;
  if (!found.mixed && found.advice.empty() && !on_gaps) advise_steps(report, found);
  found.verdict = verdict_line(found, run);
  const std::vector<std::string> advice = advice_on(found, sampler, model, on_gaps, run);
  found.advice.insert(found.advice.end(), advice.begin(), advice.end());
  return found;
}

std::optional<Diagnosis> verdict_of_run(const EnergyModel& model, const Dataset& train, double operations,
                                        const Value& config, const Registries& registries, const Execution& execution) {
  Value effective;
  const auto gibbs = registries.make<Sampler>(make_table({{"type", make_value("gibbs")}}), effective);
  try {
    gibbs->check(Target{model});
  } catch (const CapabilityError&) {
    return {};
  }
  MixingPlan plan;
  const double chains = 4.0 * static_cast<double>(plan.chains_per_start);
  const double a_step = chains * (gibbs->products_per_step() + 1.0) * operations_per_product(model);
  double affordable = std::max(share_of_run * operations, least_steps * a_step);
  if (const auto law = total_variation_operations(model); law && *law <= affordable) {
    affordable -= *law;
    plan.num_rows = most_rows_of_chains(model.layout());
  }
  plan.num_steps =
      static_cast<Index>(a_step > 0.0 ? std::clamp(affordable / a_step, least_steps, most_steps) : most_steps);
  std::optional<Chains> rows;
  if (has_probability(train, model.layout()) && !train.has_missing())
    rows = spread_rows(train, model.layout(), plan.chains_per_start, 0);
  const MixingReport report = examine_mixing(model, *gibbs, rows ? &*rows : nullptr, plan, execution);
  return diagnosis_of(report, "gibbs", effective, known_of(model, plan.beta, registries), config,
                      law_of_draws(model, report, plan.beta, execution.executor));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
