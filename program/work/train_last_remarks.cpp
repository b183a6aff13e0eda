// What a run says of itself at its end.
#include <cmath>
#include <string>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/inference/standstill.hpp>
#include <harmonium/program/work/gradient_left_words.hpp>
#include <harmonium/program/work/train_remarks.hpp>
#include <harmonium/program/work/verdict.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// That the proposals of a phase are hardly ever accepted, at the last update, and what to do about it. The sampler is
/// looked for where `config`, the configuration as it was given, has it.
void warn_of_standstill(const SamplerReport& moves, const std::string& phase, const Value& config,
                        const Value& effective, Display& display) {
  if (!moves.ill_chosen()) return;
  const auto section = [](const Value* from, const std::string& name) {
    return from && from->is_table() ? from->find(name) : nullptr;
  };
  const Value* estimator = section(&effective, "estimator");
  const Value* sampler = section(section(estimator, phase), "sampler");
  if (!sampler) sampler = section(estimator, "sampler");
  const bool by_phase = section(section(&config, "estimator"), phase) != nullptr;
  std::string path = by_phase ? "estimator." + phase + ".sampler" : "estimator.sampler";
  // Chains and ladders: the latter propose as the former do, or alone.
  if (const Value* ladder = section(section(estimator, phase), "ladder"); ladder && section(ladder, "sampler")) {
    sampler = section(ladder, "sampler");
    if (by_phase) path = "estimator." + phase + ".ladder.sampler";
  }
  display.warn(fmt::format("chains of the {} phase move much more slowly than they could: {} at the last update. {}",
                           phase, moves.summary(),
                           sampler ? proposal_remedy(*sampler, path, moves.acceptance) : "Take another sampler."));
}

}  // namespace

void TrainRemarks::at_end(const TrainingSummary& summary, const Value& config) const {
  if (!display_) return;
  const PhaseReport& positive = summary.last_estimate.positive;
  if (!positive.exact && !positive.method.empty())
    display_->note(fmt::format("the positive phase was not exact: {} at the last update", positive.method));
  const Value& effective = experiment_.effective_config();
  warn_of_standstill(positive.sampler, "positive", config, effective, *display_);
  warn_of_standstill(summary.last_estimate.negative.sampler, "negative", config, effective, *display_);
  if (summary.shrunk_steps > 0)
    display_->warn(fmt::format("{} of {} steps led to parameters of no density and were halved until they did not.",
                               summary.shrunk_steps, summary.updates));
}

void TrainRemarks::on_gradient(const TrainRequest& request) const {
  if (!display_) return;
  const Executor hearing(request.threads, request.stop);
  try {
    const auto left =
        gradient_left(experiment_.model(), experiment_.data().train, experiment_.effective_config(),
                      experiment_.own_values(), registries_, {hearing, experiment_.random().child("gradient_left")});
    if (!left || left->converged()) return;
    display_->warn(words_of_gradient(*left));
  } catch (const Stopped&) {  // the run is complete without it
  }
}

void TrainRemarks::on_followed(const RunFolder& folder, std::uint64_t update) const {
  if (!display_) return;
  if (const auto why = experiment_.stopped_early(); why && update < total_)
    display_->warn(fmt::format("stopped early, after epoch {} of {}: {}.", experiment_.epochs_of(update),
                               experiment_.epochs_of(total_), *why));
  const BestModel* best = experiment_.best();
  if (!best) return;
  if (best->epoch() > 0)
    display_->warn(fmt::format("best model: {} = {:.6g} after epoch {}, update {}. It is kept in {}.", best->metric(),
                               best->value(), best->epoch(), best->update(), folder.best_path().string()));
  else display_->warn(fmt::format("{} was never measured: there is no best model.", best->metric()));
}

bool TrainRemarks::give_verdict(const RunFolder& folder, const TrainRequest& request) const {
  if (!display_) return true;
  const double operations = experiment_.operations_per_update() * static_cast<double>(total_);
  const Executor hearing(request.threads, request.stop);
  try {
    const auto found =
        verdict_of_run(experiment_.model(), experiment_.data().train, operations, experiment_.effective_config(),
                       registries_, {hearing, experiment_.random().child("verdict"), display_});
    if (!found) return true;
    write_file_atomically(folder.verdict_path(), found->verdict + "\n");
    const std::string line = fmt::format("verdict on Gibbs chains: {}.", found->verdict);
    const std::string diagnose = fmt::format("'harmonium diagnose {}", folder.path().string());
    const auto tell = [&](const std::string& verdict) {
      if (request.judged) request.judged(verdict);
      else display_->note(verdict);
    };
    if (found->mixed) tell(line);
    else if (found->too_short && found->advised_steps)
      tell(fmt::format("{} {} --steps {}' {}.", line, diagnose, *found->advised_steps,
                       found->steps_decide ? "decides" : "looks for longer"));
    else display_->warn(fmt::format("{} {}' says more.", line, diagnose));
    if (found->mixed)
      for (const std::string& advice : found->advice) display_->note(advice);
  } catch (const Stopped&) {
    return false;
  } catch (const NumericalError& error) {
    const std::string verdict = fmt::format("none, they run away ({})", error.what());
    write_file_atomically(folder.verdict_path(), verdict + "\n");
    display_->warn(fmt::format("verdict on Gibbs chains: {}.", verdict));
  }
  return true;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
