#include <harmonium/estimators/log_partition/annealings.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/part_of_work.hpp>
#include <harmonium/framework/inference/ladder_checks.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

namespace {

/// Of the time, as of a machine of 784 × 500 units: until all is drawn from the model, and until the base of marginals is done.
constexpr double until_drawn = 0.7, until_marginals = 0.77;

}  // namespace

AnnealingPath Annealings::path_from(const AnnealingBase& base, const Execution& execution) const {
  const StepsOfPath steps{.given = options_.num_temperatures, .effort = options_.effort};
  return find_path(base, target(base), end_, steps, *options_.sampler, Chains(model_.layout(), pilot_chains),
                   pilot_chains, execution);
}

AnnealedWalk Annealings::forward(const AnnealingBase& base, const std::vector<double>& betas,
                                 const Execution& execution) const {
  Chains chains = drawn(base, options_.num_chains, execution.random.child("start"));
  return anneal(target(base), betas, *options_.sampler, chains, execution);
}

AnnealedWalk Annealings::backward(const AnnealingBase& base, std::vector<double> betas,
                                  const Execution& execution) const {
  std::ranges::reverse(betas);
  Chains chains = draws_.rows;
  return anneal(target(base), betas, reversal_, chains, execution);
}

void Annealings::draw_from_model() {
  PartOfWork shown(execution_.display, 0.0, until_drawn, "drawing from the model");
  Execution execution = execution_.part("draws");
  execution.display = &shown;
  const Target own{.model = model_, .beta = end_};
  bool exactly = options_.draws != ModelDrawsBy::ladders;
  try {
    if (exactly) options_.exact->check(own);
  } catch (const CapabilityError&) {
    if (options_.draws == ModelDrawsBy::exact) throw;
    exactly = false;
  }
  if (exactly) {
    Chains all(model_.layout(), 2 * options_.num_chains);
    options_.exact->advance(own, all, 1, execution);
    draws_.rows = draws_.others = Chains(model_.layout(), options_.num_chains);
    draws_.rows.copy_rows(model_.layout().all(), {all, 0, options_.num_chains}, 0);
    draws_.others.copy_rows(model_.layout().all(), {all, options_.num_chains, all.size()}, 0);
    draws_.certified = true;
    draws_.how = "exact draws";
    return;
  }
  const AnnealingBase base = AnnealingBase::uniform(model_);
  Execution pilot = execution.part("path");
  pilot.display = nullptr;
  const AnnealingPath path = path_from(base, pilot);
  LadderPlan plan;
  plan.betas = path.ladder();
  plan.num_ladders = options_.num_ladders;
  plan.start = LadderStart::apart;
  plan.num_steps = static_cast<Index>(options_.effort * 1000.0);
  plan.times_longer_for_few_more = 4;
  Chains start = drawn(base, plan.num_ladders * plan.betas.size(), execution.random.child("start"));
  draws_ = draw_by_ladders(target(base), plan, options_.num_chains, *options_.sampler, std::move(start), execution);
}

FromBase Annealings::measure(const char* name, const AnnealingBase& base, Execution execution) const {
  Display* const whole = execution.display;
  PartOfWork pilot(whole, 0.0, 0.2, "finding steps"), rising(whole, 0.2, 0.6, "forward"),
      falling(whole, 0.6, 1.0, "backward");
  const auto part = [&](const char* words, PartOfWork& shown) {
    Execution own = execution.part(words);
    own.display = &shown;
    return own;
  };
  const AnnealingPath path = path_from(base, part("path", pilot));
  const AnnealedWalk up = forward(base, path.betas, part("forward", rising));
  const AnnealedWalk down = backward(base, path.betas, part("backward", falling));
  const double offset = base.law().log_partition(1.0);
  FromBase result{name,
                  path.betas.size(),
                  log_mean_weight(up.log_weights),
                  log_mean_weight(down.log_weights, draws_.group),
                  bennett(up.log_weights, down.log_weights, draws_.group),
                  {}};
  for (Index kind = 0; draws_.record.starts_apart && kind < 2; ++kind) {
    std::vector<double> of_kind;
    for (Index r = 0; r < down.log_weights.size(); ++r)
      if (r / draws_.group % 2 == kind) of_kind.push_back(down.log_weights[r]);
    result.of_kinds.push_back(offset + bennett(up.log_weights, of_kind, draws_.group).log_ratio);
  }
  result.forward.log_ratio += offset;
  result.backward.log_ratio = offset - result.backward.log_ratio;
  result.both.log_ratio += offset;
  return result;
}

std::string Annealings::disagreement(const FromBase& of) const {
  if (of.both.effective_sample_size >= enough_samples) return "";
  return fmt::format(
      "the two sides from the base of {} hardly overlap ({:.2g} of {} walks count; forward {:.3f}, backward {:.3f})",
      of.name, of.both.effective_sample_size, options_.num_chains, of.forward.log_ratio, of.backward.log_ratio);
}

/// The mean over bases, its error and its interval; `groups` of draws are independent.
LogPartitionEstimate Annealings::mean_of(const std::vector<FromBase>& bases, double groups) const {
  LogPartitionEstimate result;
  // The bases share the draws: that both have an error of their own does not make that of their mean smaller.
  double weight = 0.0;
  for (const FromBase& b : bases) {
    const double error = std::max(b.both.error, 1e-14 * (1.0 + std::abs(b.both.log_ratio)));  // rounding's, at least
    const double own = 1.0 / (error * error);
    result.log_z += own * b.both.log_ratio;
    result.error = std::max(result.error, error);
    weight += own;
  }
  result.log_z /= weight;
  const double half = half_interval(groups) * result.error;
  result.low = result.log_z - half;
  result.high = result.log_z + half;
  for (const FromBase& b : bases)
    for (const double alone : b.of_kinds) {
      result.low = std::min(result.low, alone);
      result.high = std::max(result.high, alone);
    }
  return result;
}

LogPartitionEstimate Annealings::both_sides() {
  draw_from_model();
  std::vector<FromBase> bases;
  const auto measure_from = [&](const char* name, const char* words, const AnnealingBase& base, double begin,
                                double end) {
    PartOfWork shown(execution_.display, begin, end,
                     bases.empty() ? std::string("annealing")
                                   : fmt::format("annealing, log Z about {:.2f} ± {:.2f}", bases[0].both.log_ratio,
                                                 2.0 * bases[0].both.error));
    Execution own = execution_.part(words);
    own.display = &shown;
    bases.push_back(measure(name, base, own));
  };
  // Fitted to the n rows that walks back start from, a base of N units would find them likelier than other draws, by up to
  // N / n nats each.
  if (end_ == 1.0)
    measure_from("marginals", "marginals", AnnealingBase::marginals(model_, draws_.others), until_drawn,
                 until_marginals);
  measure_from("the uniform law", "uniform", AnnealingBase::uniform(model_),
               end_ == 1.0 ? until_marginals : until_drawn, 1.0);

  const double groups = draw_groups();
  LogPartitionEstimate result = mean_of(bases, groups);
  result.at_least = at_least(bases.back().forward);
  result.at_most = at_most(bases.back().backward);
  result.method = fmt::format("annealing from both sides, {} walks of {} temperatures, {}", options_.num_chains,
                              bases[0].temperatures, draws_.how);
  result.object(uncertified(), Doubt::stuck);
  for (const FromBase& b : bases) result.object(disagreement(b), Doubt::too_few);
  if (bases.size() == 2) {
    const double apart = bases[0].both.log_ratio - bases[1].both.log_ratio;
    // Three standard errors of a normal law; those of few ladders are themselves known to a quarter.
    const double noise = half_interval(groups, 0.0027) * std::hypot(bases[0].both.error, bases[1].both.error);
    if (std::abs(apart) > noise + 1e-12 * std::abs(result.log_z))
      result.object(fmt::format("the bases do not agree: {:.3f} from {} and {:.3f} from {}", bases[0].both.log_ratio,
                                bases[0].name, bases[1].both.log_ratio, bases[1].name),
                    Doubt::contradicted);
  }
  if (draws_.record.num_times > 0) {
    object_to_ladders(draws_.record, result);
    if (!AnnealingBase::uniform(model_).model()) object_to_visited(draws_.record, end_, result);
  }
  if (result.agree) {
    result.draws = {std::move(draws_.rows), draws_.group, draws_.record.starts_apart};
  } else {
    // All that was said, with its errors.
    for (const FromBase& b : bases)
      for (const OneSided& side : {b.forward, b.backward, b.both}) {
        result.low = std::min(result.low, side.log_ratio - 2.0 * side.error);
        result.high = std::max(result.high, side.log_ratio + 2.0 * side.error);
      }
  }
  return result;
}

std::string Annealings::uncertified() const {
  if (draws_.certified) return "";
  return "the draws that backward walks start from are not certified: " + draws_.shortage();
}

std::optional<double> Annealings::at_most(const OneSided& backward) const {
  LogPartitionEstimate draws;
  draws.object(uncertified());
  object_to_ladders(draws_.record, draws);
  if (!draws.agree) return {};
  return backward.log_ratio + half_interval(draw_groups()) * backward.error;
}

LogPartitionEstimate Annealings::forward_only() {
  const AnnealingBase base = AnnealingBase::uniform(model_);
  Execution pilot = execution_.part("path");
  pilot.display = nullptr;
  const AnnealingPath path = path_from(base, pilot);
  OneSided side = log_mean_weight(forward(base, path.betas, execution_.part("forward")).log_weights);
  side.log_ratio += base.law().log_partition(1.0);
  LogPartitionEstimate result;
  result.log_z = side.log_ratio;
  result.error = side.error;
  result.low = at_least(side);
  result.high = std::numeric_limits<double>::infinity();
  result.method = fmt::format("forward annealing, {} walks of {} temperatures", options_.num_chains, path.betas.size());
  result.object("forward annealing alone says no more than a lower bound. Take 'ais' with sides = \"both\"");
  return result;
}

LogPartitionEstimate Annealings::backward_only() {
  draw_from_model();
  PartOfWork shown(execution_.display, until_drawn, 1.0, "annealing backward");
  Execution pilot = execution_.part("path"), falling = execution_.part("backward");
  pilot.display = nullptr;
  falling.display = &shown;
  const AnnealingBase base = AnnealingBase::uniform(model_);
  const AnnealingPath path = path_from(base, pilot);
  OneSided side = log_mean_weight(backward(base, path.betas, falling).log_weights, draws_.group);
  side.log_ratio = base.law().log_partition(1.0) - side.log_ratio;
  LogPartitionEstimate result;
  result.log_z = side.log_ratio;
  result.error = side.error;
  result.low = -std::numeric_limits<double>::infinity();
  // Of draws that may not be the model's no bound.
  result.high = at_most(side).value_or(std::numeric_limits<double>::infinity());
  result.method = fmt::format("backward annealing, {} walks of {} temperatures, {}", draws_.rows.size(),
                              path.betas.size(), draws_.how);
  result.object(uncertified());
  object_to_ladders(draws_.record, result);
  result.object("backward annealing alone says no more than an upper bound. Take 'ais' with sides = \"both\"");
  return result;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
