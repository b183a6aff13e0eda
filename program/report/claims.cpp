#include <harmonium/program/report/claims.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/program/report/trend.hpp>
#include <harmonium/program/report/words.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

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

/// Of the figures of interest: whether they rest, and whether validation rows have been left behind.
Claim claim_of_curves(const RunRecord& record) {
  Claim claim{"The curves", Belief::unknown, "", {}};
  bool moves = false, left_behind = false, any = false;
  for (const LoggedCurve& curve : logged_curves(record.run.log)) {
    if (!curve.kind.more_is_better) continue;
    const std::string name =
        curve.kind.title + (curve.kind.member.empty() ? "" : fmt::format(" ({})", curve.kind.member));
    const std::optional<Trend> trend = trend_of(curve);
    if (!trend) continue;
    any = true;
    if (trend->moves && !moves) {
      claim.why +=
          fmt::format("The {} still {}: by {} {} over the second half of the run, {:.0f} % of its whole range. ", name,
                      trend->change > 0.0 ? "rises" : "falls", number_words(std::abs(trend->change)), curve.kind.unit,
                      100.0 * trend->share);
      moves = true;
    }
    if (trend->best_epoch && curve.kind.member.find("validation") != std::string::npos && !left_behind) {
      claim.why +=
          fmt::format("The {} was best, {}, after epoch {:g}, and is lower by {} now: rows are learned by heart. ",
                      name, number_words(trend->best), *trend->best_epoch, number_words(trend->best - trend->last));
      left_behind = true;
    }
  }
  if (!any) {
    claim.why = "Too few figures were measured along the run to tell whether they came to rest.";
    return claim;
  }
  claim.belief = moves || left_behind ? Belief::care : Belief::yes;
  if (!moves) claim.why += "What is followed came to rest in the second half of the run.";
  if (moves) claim.advice.emplace_back("Train for longer: 'harmonium train --resume RUN --epochs N'.");
  if (left_behind) claim.advice.emplace_back("Keep the best model (training.keep_best), stop early, or add l2.");
  return claim;
}

Claim claim_of_likelihood(const Computed& computed) {
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
    claim.advice.emplace_back("Try again with more effort (--effort 4): what lies low may not have been found yet.");
    return claim;
  }
  claim.belief = Belief::yes;
  claim.why += exact ? fmt::format("Log Z is exact ({}).", whole.log_z_method)
                     : "Both sides of log Z agree, and the interval holds what they leave open.";
  if (!part.why_not.empty()) {
    claim.belief = Belief::care;
    claim.why += fmt::format(" No rows were judged: {}", part.why_not);
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
  Claim claim{"Chains of the updates", Belief::unknown, "", {}};
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
      if (claim.belief == belief) names.push_back(in_sentence(claim.about));
    return fmt::format("{}", fmt::join(names, ", "));
  };
  const std::string no = named(Belief::no), care = named(Belief::care), yes = named(Belief::yes);
  std::string text;
  if (!no.empty()) text += fmt::format("Not to be believed: {}. ", no);
  if (!care.empty()) text += fmt::format("{}: {}. ", no.empty() ? "To be taken with care" : "With care", care);
  if (no.empty() && care.empty()) return "Nothing that was looked at speaks against this run.";
  return text + (yes.empty() ? "" : fmt::format("Nothing speaks against: {}.", yes));
}

}  // namespace

std::vector<Claim> claims_of_log(const RunRecord& record) { return {claim_of_run(record), claim_of_curves(record)}; }

ReportVerdict verdict_of(const RunRecord& record, const Computed& computed) {
  ReportVerdict verdict{"", claims_of_log(record)};
  verdict.claims.push_back(claim_of_likelihood(computed));
  verdict.claims.push_back(claim_of_chains(computed));
  verdict.claims.push_back(claim_of_updates(computed));
  verdict.headline = headline_of(verdict.claims);
  return verdict;
}

}  // namespace v1
}  // namespace harmonium
