#include <harmonium/samplers/parallel_tempering.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/acceptance.hpp>
#include <harmonium/framework/inference/energy_differences.hpp>
#include <harmonium/framework/inference/factorial_base.hpp>
#include <harmonium/framework/inference/replica_exchange.hpp>
#include <harmonium/framework/inference/tempering_ladder.hpp>
#include <harmonium/samplers/held_ladders.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

bool has_biases(const EnergyModel& model) {
  return std::ranges::any_of(model.parameter_layout().blocks(),
                             [](const ParameterBlock& b) { return b.role == ParameterRole::bias; });
}

}  // namespace

void ParallelTemperingOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<TemperingBase> bases[] = {
      {"automatic", TemperingBase::automatic}, {"none", TemperingBase::none}, {"biases", TemperingBase::biases}};
  o.option("betas", betas,
           "inverse temperatures as parts of the target's: 1, then descending to 0 or more; none: an adapted ladder");
  o.option("num_rungs", num_rungs, "temperatures of an adapted ladder, from the target's to 0; 10 where not given",
           at_least(2));
  o.option("adapt_steps", adapt_steps, "transitions during which the ladder is adapted; 500 where not given",
           at_least(0));
  o.option("swap_every", swap_every, "transitions between two rounds of exchanges", at_least(1));
  o.choice("base", base, bases,
           "what beta = 0 is: every state alike (none), or the model without its couplings (biases); automatic: the "
           "latter for continuous units alone, which need it");
  o.component("sampler", sampler, "what moves the chain at each temperature", "gibbs");
}

void ParallelTemperingOptions::validate() const {
  if (betas.empty()) {
    if (num_rungs && *num_rungs < 2) throw ConfigError("'num_rungs' must be at least 2.");
    return;
  }
  if (num_rungs || adapt_steps)
    throw ConfigError("'betas' is a ladder already, so 'num_rungs' and 'adapt_steps' have no meaning. Leave one out.");
  if (betas.size() < 2)
    throw ConfigError("'betas' holds one temperature, and there is none to exchange with. Give two or more.");
  if (betas[0] != 1.0)
    throw ConfigError(
        fmt::format("'betas' starts at {}, but its first is the target's own. Start at 1; --beta or the target says "
                    "what that is.",
                    betas[0]));
  for (Index k = 0; k < betas.size(); ++k)
    if (!(betas[k] >= 0.0) || (k > 0 && !(betas[k] < betas[k - 1])))
      throw ConfigError(fmt::format("'betas' must descend from 1 to 0 or more, but number {} is {}.", k + 1, betas[k]));
}

ParallelTempering::ParallelTempering(Options options) : options_(std::move(options)) {
  if (!options_.sampler) throw ConfigError("an inner sampler must be given.");
  if (options_.sampler->rungs() != 1) throw ConfigError("the inner sampler has temperatures of its own. Try 'gibbs'.");
  if (options_.swap_every == 0) throw ConfigError("'swap_every' must be at least 1.");
  options_.validate();
  ladder_ = options_.betas;
  if (ladder_.empty()) ladder_ = even_ladder(options_.num_rungs.value_or(Options::usual_rungs));
  progress_ = LadderProgress(ladder_.size());
}

Index ParallelTempering::adaptation_steps() const {
  return std::max(own_adaptation(), options_.sampler->adaptation_steps());
}

Index ParallelTempering::own_adaptation() const {
  return options_.betas.empty() ? options_.adapt_steps.value_or(Options::usual_adapt_steps) : 0;
}

// Rounded to the precision in which kernels take them, so that moves and exchanges are about the same law.
std::vector<double> ParallelTempering::betas(double beta) const {
  std::vector<double> all;
  for (const double part : ladder_) all.push_back(static_cast<double>(static_cast<Real>(beta * part)));
  return all;
}

const Layer* ParallelTempering::lawless_layer(const Target& target) const {
  if (ladder_.back() > 0.0 && target.beta > 0.0) return nullptr;
  const std::span<const Layer> layers = target.model.layout().layers();
  const auto found = std::ranges::find_if(layers, [](const Layer& layer) { return !has_law_at_zero(*layer.unit); });
  return found == layers.end() ? nullptr : &*found;
}

bool ParallelTempering::has_own_base(const Target& target) const {
  if (options_.base != TemperingBase::automatic) return options_.base == TemperingBase::biases;
  return !target.base && target.beta == 1.0 && lawless_layer(target) && has_biases(target.model);
}

std::shared_ptr<const EnergyModel> ParallelTempering::make_base(const Target& target) const {
  if (!has_own_base(target)) return nullptr;
  return std::make_shared<FactorialBase>(target.model);
}

void ParallelTempering::check(const Target& target) const {
  const auto refuse = [](const std::string& why) { throw CapabilityError("sampler 'parallel_tempering': " + why); };
  if (!target.ladder.empty()) refuse("it makes its own ladder of temperatures and takes no other. Try 'gibbs'.");
  const bool own_base = has_own_base(target);
  if (own_base && target.beta != 1.0)
    refuse(
        fmt::format("the base \"biases\" is that of the model at beta = 1, and {} is asked for. Set base = \"none\".",
                    target.beta));
  if (own_base && target.base) refuse("the target has a base distribution already. Set base = \"none\".");
  if ((own_base || target.base) && target.beta > 1.0)
    refuse(fmt::format("with a base distribution beta goes from 0 to 1, and {} is asked for. Set base = \"none\".",
                       target.beta));
  if (own_base && !has_biases(target.model))
    refuse("the model has no biases to make a base distribution of. Set base = \"none\".");
  if (const Layer* layer = own_base || target.base ? nullptr : lawless_layer(target))
    refuse(fmt::format(
        "at beta = 0 the continuous units of layer '{}' have no law. {} 'betas' end above 0{}.", layer->name,
        target.beta == 1.0 && has_biases(target.model) ? "Set base = \"biases\" (--set sampler.base=biases), or let"
                                                       : "Let",
        " (--set 'sampler.betas=[1, 0.7, 0.5, 0.35, 0.25]')"));
  const std::shared_ptr<const EnergyModel> base = make_base(target);
  const std::vector<double> all = betas(target.beta);
  Target tempered = target;
  if (base) tempered.base = base.get();
  tempered.ladder = all;
  options_.sampler->check(tempered);
  check_energy(target.model);
}

SamplerReport ParallelTempering::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                         LastMeans* last) {
  const Index rungs = ladder_.size();
  if (chains.size() % rungs != 0)
    throw CapabilityError(fmt::format("sampler 'parallel_tempering': {} rows are no multiple of its {} temperatures.",
                                      chains.size(), rungs));
  if (target.held) check_held_alike(*target.held, target.model.layout(), chains, rungs, "sampler 'parallel_tempering'");
  const std::shared_ptr<const EnergyModel> base = make_base(target);
  Target tempered = target;
  if (base) tempered.base = base.get();
  std::vector<double> all = betas(target.beta);
  progress_.follow(chains);

  SamplerReport report;
  report.ladder = empty_report(all);
  const std::uint64_t adapting = own_adaptation();
  double acceptance = 0.0;
  for (Index done = 0; done < steps;) {
    tempered.ladder = all;
    const std::uint64_t since = chains.step() % options_.swap_every;
    if (since == 0)
      exchange_neighbors(tempered, differences_by_fields(tempered, chains, execution.executor), chains,
                         chains.step() / options_.swap_every, execution, progress_.tally, *report.ladder,
                         "sampler 'parallel_tempering'");
    std::uint64_t now = std::min<std::uint64_t>(options_.swap_every - since, steps - done);
    const std::uint64_t round_end = progress_.round_end(adapting);
    if (progress_.age < adapting) now = std::min(now, round_end - progress_.age);
    const SamplerReport inner = options_.sampler->advance(tempered, chains, now, execution.part("sampler"),
                                                          done + now == steps ? last : nullptr);
    acceptance += inner.acceptance * static_cast<double>(now);
    report.proposed += inner.proposed;
    report.min_acceptance = inner.min_acceptance;
    done += now;
    if (progress_.age >= adapting) continue;
    progress_.age += now;
    if (progress_.age == round_end) {
      end_round();
      all = betas(target.beta);
      report.ladder = empty_report(all);
    }
  }
  if (steps > 0) report.acceptance = acceptance / static_cast<double>(steps);
  report.ladder->base = base;
  progress_.next_step = chains.step();
  return report;
}

void ParallelTempering::end_round() {
  if (progress_.tally.complete())
    ladder_ = balanced_ladder(ladder_, progress_.tally.take_rejections());  // else the round goes on
}

double ParallelTempering::products_per_step() const {
  const double exchanges = 1.0 / static_cast<double>(options_.swap_every);  // an energy is a product
  return static_cast<double>(ladder_.size()) * (options_.sampler->products_per_step() + exchanges);
}

void ParallelTempering::memory(const EnergyModel& model, MemoryNeed& need) const {
  options_.sampler->memory(model, need);
  const auto columns = static_cast<double>(model.layout().columns(model.layout().all()));
  if (has_own_base(Target{model})) need.add("the base distribution", 3.0 * columns * sizeof(Real), "");
  constexpr double tile = 256;  // rows whose energies are taken at a time, summed in double
  need.add_passing("the energies of a ladder", 2.0 * tile * columns * sizeof(double), "the sampler's num_rungs");
}

void ParallelTempering::state(StateArchive& archive) {
  archive.field("ladder", ladder_, ladder_.size());
  progress_.state(archive);
  archive.group("sampler", *options_.sampler);
  if (archive.loading()) check_loaded(archive);
}

void ParallelTempering::check_loaded(const StateArchive& archive) const {
  check_ladder(archive, "ladder", ladder_);
  if (ladder_.front() != 1.0)
    archive.refuse("ladder", fmt::format("begins at {}, and not at the target's own temperature, 1", ladder_.front()));
  if (!options_.betas.empty() && ladder_ != options_.betas)
    archive.refuse("ladder", "is another ladder than 'betas' of the configuration");
  if (options_.betas.empty() && ladder_.back() != 0.0)
    archive.refuse("ladder", fmt::format("ends at {}, and an adapted one at 0", ladder_.back()));
  check_tally(archive, progress_.tally);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
