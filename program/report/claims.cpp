#include <harmonium/program/report/claims.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/files/leak_file.hpp>
#include <harmonium/program/report/longer_words.hpp>
#include <harmonium/program/report/overfitting.hpp>
#include <harmonium/program/report/trend.hpp>
#include <harmonium/program/report/words.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// Often there is nothing to be said of them, and a headline does not say that.
constexpr const char* of_updates = "Chains of the updates";

Claim claim_of_run(const RunRecord& record) {
  const MetricsLog& log = record.run.log;
  const std::string done = fmt::format("{} {} and {} {}", log.epochs, log.epochs == 1 ? "epoch" : "epochs", log.updates,
                                       log.updates == 1 ? "update" : "updates");
  const std::string of = record.planned.empty() ? "" : fmt::format(" of {} planned", record.planned);
  switch (record.run.state) {
    case ComparedRun::State::finished: {
      const std::string early =
          record.progress < 1.0 && !of.empty() ? fmt::format(" It ended early,{}.", of) : std::string();
      return {"The run", Belief::yes, fmt::format("It finished after {}.{}", done, early), {}};
    }
    case ComparedRun::State::diverged:
      return {"The run",
              Belief::no,
              fmt::format("It diverged after {}{}: its gradient, parameters or figures left the range of numbers.",
                          done, of),
              {"Lower optimizer.learning_rate, or set training.clip_norm."}};
    case ComparedRun::State::unfinished: break;
  }
  return {"The run",
          Belief::care,
          fmt::format("It is not finished: {} are made{}. It goes on, or was stopped.", done, of),
          {"'harmonium train --resume RUN' goes on with a run that was stopped."}};
}

/// Of the figures of interest, whose trends are known: where they went.
struct Trends {
  std::string moves, left_behind;  ///< sentences on the first that does; empty: none does
  std::size_t resting = 0, hidden = 0;
  bool validation_falls = false;
};

Trends trends_of(const std::vector<LoggedCurve>& curves) {
  Trends all;
  for (const LoggedCurve& curve : curves) {
    const std::optional<Trend> trend = curve.kind.more_is_better ? trend_of(curve) : std::nullopt;
    if (!trend) continue;
    const std::string& member = curve.kind.member;
    const std::string name = curve.kind.title + (member.empty() ? "" : fmt::format(" ({})", member));
    if (trend->state == Trend::State::rests) ++all.resting;
    if (trend->state == Trend::State::hidden) ++all.hidden;
    if (trend->state == Trend::State::moves && trend->change < 0.0 && member.find("validation") != std::string::npos)
      all.validation_falls = true;
    if (trend->state == Trend::State::moves && all.moves.empty())
      all.moves = fmt::format(
          "The {} still {}: by {} over the second half of the points, {:.0f} % of its whole range. ", name,
          trend->change > 0.0 ? "rises" : "falls", number_words(std::abs(trend->change)), 100.0 * trend->share);
    if (trend->best_epoch && member.find("validation") != std::string::npos && all.left_behind.empty())
      all.left_behind =
          fmt::format("The {} was best, {}, after epoch {:g}, and is lower by {} now: rows are learned by heart. ",
                      name, number_words(trend->best), *trend->best_epoch, number_words(trend->best - trend->end));
  }
  return all;
}

/// What figures of training and validation rows say of overfitting, added to where the figures went.
void add_overfitting(Claim& claim, const std::vector<LoggedCurve>& curves) {
  const std::optional<RowsGap> gap = gap_of_rows(curves);
  if (!gap) return;
  if (!gap->grew) {
    claim.why += " There is no sign of overfitting.";
    return;
  }
  const int digits = std::clamp(-static_cast<int>(std::floor(std::log10(gap->error))), 1, 6);
  claim.why += fmt::format(
      " No fall of validation was seen; the gap to the training rows ({}) grew from {:.{}f} to {:.{}f} ± {:.{}f} "
      "nats: rows are being learned by heart.",
      gap->figure, gap->first, digits, gap->last, digits, gap->error, digits);
  claim.advice.emplace_back(
      "Let validation decide: training.stop_early, training.keep_best; more data or l2 narrow the gap.");
  claim.belief = Belief::care;
}

/// Whether what is followed rests.
Claim claim_of_trends(const RunRecord& record, const Trends& trends) {
  Claim claim{"The curves", Belief::care, trends.moves + trends.left_behind, {}};
  const bool stopped_early = record.run.state == ComparedRun::State::finished && record.progress < 1.0;
  // What rises where validation has fallen is what the training rows alone are better for.
  if (!trends.moves.empty() && trends.left_behind.empty())
    claim.advice.emplace_back(stopped_early
                                  ? "It stopped early: 'harmonium train CONFIG.toml --from RUN' goes on from its model."
                                  : fmt::format("Train for longer: {}.", longer_words(record.run.config)));
  if (!trends.left_behind.empty())
    claim.advice.emplace_back("Keep the best model (training.keep_best), stop early, or add l2.");
  if (!claim.why.empty()) return claim;
  if (trends.hidden > 0) {
    claim.belief = Belief::unknown;
    claim.why =
        "Whether they came to rest is hidden by their scatter. More epochs, or figures of more rows, would tell.";
  } else if (trends.resting > 0 && record.progress >= 1.0 &&
             rate_ends_near_zero(record.run.config, static_cast<double>(record.run.log.epochs))) {
    claim.belief = Belief::yes;
    claim.why = "What is followed came to rest as its learning rate went to 0: longer training may raise it further.";
    claim.advice.push_back(fmt::format("Try it: {}.", longer_words(record.run.config)));
  } else if (trends.resting > 0) {
    claim.belief = Belief::yes;
    claim.why = "What is followed came to rest in the second half of the run.";
  } else {
    claim.belief = Belief::unknown;
    claim.why = "Too few figures were measured along the run to tell whether they came to rest.";
  }
  return claim;
}

Claim claim_of_curves(const RunRecord& record) {
  const std::vector<LoggedCurve> curves = logged_curves(record.run.log);
  const Trends trends = trends_of(curves);
  Claim claim = claim_of_trends(record, trends);
  while (claim.why.ends_with(' ')) claim.why.pop_back();
  if (trends.left_behind.empty() && !trends.validation_falls && record.run.leak.empty()) add_overfitting(claim, curves);
  return claim;
}

/// Of a run whose rows set aside were trained on before.
Claim claim_of_rows_aside(const RunRecord& record) {
  return {"Figures of validation and test rows",
          Belief::no,
          sentence(record.run.leak + too_good) + " They do not show whether rows are learned by heart.",
          {"Train from that model with its data_seed (else seed) and its shares of rows, which its config.toml has."}};
}

Claim claim_of_likelihood(const RunRecord& record, const Computed& computed) {
  Claim claim{"The likelihood", Belief::unknown, "", {}};
  const auto& part = computed.likelihood;
  if (!part.found || !part.found->whole.log_z_interval) {
    claim.why = part.found ? absent_reason(part.found->whole, "log_z") : "";
    claim.why = fmt::format("There is none. {}", claim.why.empty() ? part.why_not : claim.why);
    return claim;
  }
  const Evaluation& whole = part.found->whole;
  const Interval z = *whole.log_z_interval;
  const bool exact = z.low == z.high;
  for (const auto& [name, e] : part.found->splits)
    if (e.log_likelihood)
      claim.why += fmt::format("Log likelihood of the {} rows: {}. ", name,
                               estimate_words(*e.log_likelihood, e.log_likelihood_interval));
  if (whole.agree == false) {
    claim.belief = Belief::no;
    claim.why += fmt::format("The ways to log Z do not agree: {}.", without_stop(whole.why));
    if (!whole.advice.empty()) claim.advice.push_back(whole.advice);
    return claim;
  }
  claim.belief = Belief::yes;
  claim.why +=
      exact ? fmt::format("Log Z is {}.",
                          whole.log_z_method.starts_with("exact") ? whole.log_z_method : "exact: " + whole.log_z_method)
            : "Both sides of log Z agree, and the interval holds what they leave open.";
  if (!part.why_not.empty()) {
    claim.belief = Belief::care;
    claim.why += fmt::format(" No rows were judged: {}", part.why_not);
  }
  if (!record.run.leak.empty() && part.found->splits.size() > 1) {
    claim.belief = Belief::care;
    claim.why += " That of validation and test rows is too good, for such rows were trained on before.";
  }
  return claim;
}

Claim claim_of_chains(const Computed& computed) {
  Claim claim{"Samples of Gibbs chains", Belief::unknown, "", {}};
  const auto& part = computed.diagnosis;
  if (!part.found) {
    claim.why = fmt::format("They were not looked at. {}", part.why_not);
    return claim;
  }
  const Diagnosis& d = *part.found;
  claim.belief = d.mixed ? Belief::yes : d.too_short ? Belief::care : Belief::no;
  claim.why = sentence(d.verdict);
  if (d.out_of_equilibrium == true) {
    claim.belief = Belief::no;
    claim.why += " The machine was trained out of equilibrium.";
  }
  claim.advice = d.advice;
  return claim;
}

/// k against tau.
Claim claim_of_updates(const Computed& computed) {
  Claim claim{of_updates, Belief::unknown, "", {}};
  const auto& part = computed.diagnosis;
  if (!part.found) claim.why = "Whether k reaches the autocorrelation time was not looked at.";
  else if (!part.found->run_mixed)
    claim.why =
        "They go on from update to update, or there are none: no k is to be held against the autocorrelation time.";
  else {
    claim.belief = *part.found->run_mixed ? Belief::yes : Belief::care;
    claim.why = *part.found->run_mixed
                    ? fmt::format("They start anew each time and take steps enough: {} forgets itself in about {}.",
                                  part.found->slowest, number_words(part.found->autocorrelation_time))
                    : fmt::format(
                          "They start anew each time and take fewer steps than the {} that {} needs to forget "
                          "itself: the gradient sees the model near their start only.",
                          number_words(part.found->autocorrelation_time), part.found->slowest);
  }
  return claim;
}

std::string headline_of(const std::vector<Claim>& claims) {
  const auto named = [&](Belief belief) {
    std::vector<std::string> names;
    for (const Claim& claim : claims)
      if (claim.belief == belief && (belief != Belief::unknown || claim.about != of_updates))
        names.push_back(in_sentence(claim.about));
    return fmt::format("{}", fmt::join(names, ", "));
  };
  const std::string no = named(Belief::no), care = named(Belief::care), yes = named(Belief::yes);
  std::string text;
  if (!no.empty()) text += fmt::format("Not to be believed: {}. ", no);
  if (!care.empty()) text += fmt::format("{}: {}. ", no.empty() ? "To be taken with care" : "With care", care);
  if (no.empty() && care.empty()) text = "Nothing that was looked at speaks against this run. ";
  else if (!yes.empty()) text += fmt::format("Nothing speaks against: {}. ", yes);
  if (const std::string unknown = named(Belief::unknown); !unknown.empty())
    text += fmt::format("Not known: {}.", unknown);
  return text;
}

}  // namespace

std::vector<Claim> claims_of_log(const RunRecord& record) {
  std::vector<Claim> claims{claim_of_run(record), claim_of_curves(record)};
  if (!record.run.leak.empty()) claims.push_back(claim_of_rows_aside(record));
  return claims;
}

ReportVerdict verdict_of(const RunRecord& record, const Computed& computed) {
  ReportVerdict verdict{"", claims_of_log(record)};
  verdict.claims.push_back(claim_of_likelihood(record, computed));
  verdict.claims.push_back(claim_of_chains(computed));
  verdict.claims.push_back(claim_of_updates(computed));
  verdict.headline = headline_of(verdict.claims);
  return verdict;
}

}  // namespace v1
}  // namespace harmonium
