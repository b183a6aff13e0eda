#include <harmonium/program/work/train_remarks.hpp>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/inference/standstill.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/training/schedule.hpp>
#include <harmonium/program/work/data_remarks.hpp>
#include <harmonium/program/work/gradient_left.hpp>
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
  const std::string path = by_phase ? "estimator." + phase + ".sampler" : "estimator.sampler";
  display.warn(fmt::format("chains of the {} phase move much more slowly than they could: {} at the last update. {}",
                           phase, moves.summary(),
                           sampler ? proposal_remedy(*sampler, path, moves.acceptance) : "Take another sampler."));
}

std::string value_of(const Value& config, const char* section, const char* name) {
  const Value* table = *section == '\0' ? &config : config.find(section);
  const Value* found = table && table->is_table() ? table->find(name) : nullptr;
  return found && !found->is_empty() ? write_toml_value(*found) : "";
}

/// That rows which a run sets aside were among those that the model it starts from was trained on; empty where they were not.
std::string other_split(const Value& start, const Value& own) {
  const auto sets_aside = [&](const char* name) {
    const std::string share = value_of(own, "data", name);
    return !share.empty() && share != "0" && share != "0.0";
  };
  if (!sets_aside("validation") && !sets_aside("test")) return {};
  const std::string path = value_of(own, "data", "path");
  if (value_of(start, "data", "type") != value_of(own, "data", "type") || path != value_of(start, "data", "path"))
    return {};
  const std::string seed = value_of(start, "", "seed");
  const bool same = seed == value_of(own, "", "seed") &&
                    value_of(start, "data", "validation") == value_of(own, "data", "validation") &&
                    value_of(start, "data", "test") == value_of(own, "data", "test");
  if (same) return {};
  return fmt::format(
      " was trained on other rows of the same data (seed {}, validation {}, test {}): rows that this run sets aside "
      "were among "
      "them, and figures of these are too good. Take that seed and these shares.",
      seed.empty() ? "-" : seed, value_of(start, "data", "validation"), value_of(start, "data", "test"));
}

}  // namespace

void TrainRemarks::of_length(const RunFolder& folder, std::uint64_t update, bool resumed) const {
  if (!display_) return;
  display_->note(fmt::format("{} {}: {} rows, {} parameters, {} updates", resumed ? "resuming" : "training",
                             folder.path().string(), experiment_.data().train.rows(),
                             experiment_.model().parameter_layout().size(), total_ - update));
}

void TrainRemarks::of_schedule(std::uint64_t made, std::uint64_t meant) const {
  if (!display_ || made == 0 || meant == total_) return;
  const Value* optimizer = experiment_.effective_config().find("optimizer");
  const Value* spec = optimizer ? optimizer->find("schedule") : nullptr;
  if (!spec) return;
  Value effective;
  const std::unique_ptr<Schedule> schedule = registries_.make<Schedule>(*spec, effective);
  constexpr std::uint64_t looked_at = 100;
  const std::uint64_t per_epoch = experiment_.updates_per_epoch();
  for (std::uint64_t i = 1; i <= looked_at; ++i) {
    const std::uint64_t update = (made - 1) * i / looked_at;
    if (schedule->factor({update, total_, per_epoch}) == schedule->factor({update, meant, per_epoch})) continue;
    display_->warn(fmt::format(
        "the schedule of the learning rate goes by the length of the run, and {} updates were made when that "
        "was {}: the model will not be that of {} updates from the start. Start anew for that one; schedules "
        "'constant', 'power' and 'step' do not go by the length.",
        made, meant, total_));
    return;
  }
}

void TrainRemarks::at_start(bool fresh) const {
  if (!display_) return;
  if (const StartModel* start = experiment_.start(); start && fresh) {
    display_->note(fmt::format("starting from {}", start->path().string()));
    for (const std::string& layer : experiment_.grown()) display_->note(fmt::format("layer {}", layer));
    if (!start->same_units(experiment_.data().train.transform().get()))
      display_->warn(fmt::format(
          "{} was trained on rows that were standardized or whitened otherwise than those of this run: its parameters "
          "are in other units.",
          start->path().string()));
    if (const std::string other = other_split(read_model_header(start->path()).config, experiment_.effective_config());
        !other.empty())
      display_->warn(start->path().string() + other);
  }
  if (fresh && !experiment_.guesses().empty()) display_->warn(experiment_.guesses());
  for (const std::string& remark : data_remarks(experiment_.data().train, experiment_.model().layout()))
    display_->warn(remark);
  const bool holes = experiment_.data().train.has_missing();
  if (holes && !experiment_.unmeasured().empty())
    display_->warn(
        "entries of the data are missing, and figures of rows are measured of complete ones alone: gradient_norm is "
        "left to "
        "watch. 'harmonium evaluate RUN' estimates the likelihood of what was seen.");
  for (const auto& [name, why] : experiment_.unmeasured())
    if (name == "log_likelihood" && !holes) display_->note(fmt::format("{} is not measured: {}", name, why));
}

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
    const auto left = gradient_left(experiment_.model(), experiment_.data().train, experiment_.effective_config(),
                                    registries_, {hearing, experiment_.random().child("gradient_left")});
    if (left && !left->converged())
      display_->warn(
          fmt::format("the parameters are still on their way: the gradient of the objective is {:.3g}, and the chance "
                      "of {} rows alone makes "
                      "{:.2g} of it. Train longer (--epochs), or take a larger optimizer.learning_rate and let it fall "
                      "(optimizer.schedule).",
                      left->norm, left->rows, left->chance));
  } catch (const Stopped&) {  // the run is complete without it
  }
}

void TrainRemarks::on_followed(const RunFolder& folder, std::uint64_t update) const {
  if (!display_) return;
  const std::uint64_t per_epoch = experiment_.updates_per_epoch();
  const auto epochs = [&](std::uint64_t made) { return (made + per_epoch - 1) / per_epoch; };
  if (const auto why = experiment_.stopped_early(); why && update < total_)
    display_->warn(fmt::format("stopped early, after epoch {} of {}: {}.", epochs(update), epochs(total_), *why));
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
    if (found->mixed || found->too_short) display_->note(line);
    else display_->warn(fmt::format("{} 'harmonium diagnose {}' says more.", line, folder.path().string()));
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
