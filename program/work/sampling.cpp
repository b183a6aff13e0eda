#include <harmonium/program/work/sampling.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/descent.hpp>
#include <harmonium/framework/inference/finite_chains.hpp>
#include <harmonium/framework/inference/rungs.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/run/start_chains.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

Sampling::Sampling(const SamplingPlan& plan)
    : plan_(plan),
      request_(plan.request()),
      model_(plan.model()),
      layout_(model_.layout()),
      rungs_(plan.sampler().rungs()),
      executor_(request_.threads, request_.stop),
      execution_{executor_, plan.random().child("sample")},
      moving_(execution_.part("sampler")),
      held_(plan.clamp().mask(0, 1, rungs_)),
      target_{model_},
      standstill_(layout_),
      samples_(request_.num_samples * plan.columns()),
      energies_(request_.energies ? request_.num_samples : 0) {
  target_.beta = request_.beta;
  if (!plan.clamp().empty()) target_.held = &held_;
}

void Sampling::draw() {
  if (request_.thin > 0) draw_one_chain();
  else draw_independent_chains();
  const std::string complaint = standstill_.complaint(moves_);
  if (complaint.empty()) return;
  throw NumericalError(fmt::format("sampler '{}': {}. Rows of the start are no samples, and nothing is written. {}",
                                   request_.sampler, complaint,
                                   proposal_remedy(plan_.sampler_table(), "sampler", moves_.acceptance)));
}

void Sampling::draw_one_chain() {
  const auto wanted = static_cast<double>(request_.num_samples);
  Chains chains = start(1, 0);
  advance(chains, request_.steps, 0.0, 0.0);
  for (Index i = 0; i < request_.num_samples; ++i) {
    if (i > 0) advance(chains, request_.thin, static_cast<double>(i) / wanted, 1.0 / wanted);
    keep(chains, i);
  }
  standstill_.ended(chains, request_.steps + (request_.num_samples - 1) * request_.thin);
}

void Sampling::draw_independent_chains() {
  const auto wanted = static_cast<double>(request_.num_samples);
  for (Index first = 0; first < request_.num_samples; first += SamplingPlan::chains_at_a_time) {
    const Index count = std::min<Index>(SamplingPlan::chains_at_a_time, request_.num_samples - first);
    const double done = static_cast<double>(first) / wanted, share = static_cast<double>(count) / wanted;
    Chains chains = start(count, first);
    if (looks_for_drift()) {
      const std::uint64_t half = request_.steps / 2;
      advance(chains, half, done, 0.5 * share);
      const std::vector<double> before = energies_at_target(chains);
      const std::vector<Real> rows_before = observed_at_target(chains);
      advance(chains, request_.steps - half, done + 0.5 * share, 0.5 * share);
      drift_.add(before, energies_at_target(chains));
      const std::vector<Real> rows = observed_at_target(chains);
      column_drift_.add({rows_before.data(), count, plan_.columns(), plan_.columns()},
                        {rows.data(), count, plan_.columns(), plan_.columns()});
    } else {
      advance(chains, request_.steps, done, share);
    }
    standstill_.ended(chains, request_.steps);
    keep(chains, first);
  }
}

bool Sampling::looks_for_drift() const {
  constexpr std::uint64_t fewest_steps = 4;
  return request_.steps >= fewest_steps && request_.num_samples >= EnergyDrift::fewest_chains && !request_.descend &&
         !stacked_machines(model_);
}

/// Of each row at the target's temperature, at β = 1.
std::vector<double> Sampling::energies_at_target(const Chains& chains) const {
  std::vector<double> energies(chains.size() / rungs_);
  if (rungs_ > 1) model_.energy(rows_at_target(chains, layout_), energies);
  else model_.energy(chains, energies);
  return energies;
}

std::vector<Real> Sampling::observed_at_target(const Chains& chains) const {
  std::vector<Real> rows(chains.size() / rungs_ * plan_.columns());
  if (rungs_ > 1) copy_observed(rows_at_target(chains, layout_), rows.data());
  else copy_observed(chains, rows.data());
  return rows;
}

void Sampling::copy_observed(const Chains& chains, Real* out) const {
  for (Index r = 0; r < chains.size(); ++r)
    for (const LayerId l : layout_.ids()) {
      if (layout_[l].role != Role::observed) continue;
      const ConstMatrixRef x = chains.read(l);
      out = std::copy(x.row(r), x.row(r) + x.cols, out);
    }
}

/// Chains of `count` samples, the first of them `first`, each with a row a rung.
Chains Sampling::start(Index count, Index first) {
  Chains chains(layout_, count * rungs_, static_cast<std::uint32_t>(first * rungs_));
  assign_rungs(chains, rungs_);
  start_from_biases(model_, request_.beta, execution_.random.child("start"), chains);
  if (plan_.start()) plan_.start()->write(chains, first, rungs_);
  plan_.clamp().write(chains, first, rungs_);
  if (!plan_.clamp().empty()) held_ = plan_.clamp().mask(first, count, rungs_);
  if (plan_.start()) start_as_asked(chains, first);
  standstill_.started(chains, target_.held);
  return chains;
}

/// Latent units that nothing is said of at a draw given the others.
void Sampling::start_as_asked(Chains& chains, Index first) {
  const auto given = plan_.start()->given(first, chains.size() / rungs_, rungs_, target_.held);
  if (!given) return;
  Target target = target_;
  target.held = &*given;
  plan_.sampler().advance(target, chains, 1, moving_);
}

/// In strides, between which progress is shown and a signal is heard.
void Sampling::advance(Chains& chains, std::uint64_t steps, double done, double share) {
  for (std::uint64_t s = 0; s < steps;) {
    const std::uint64_t stride = std::min<std::uint64_t>(steps - s, 64);
    const SamplerReport report = plan_.sampler().advance(target_, chains, stride, moving_);
    check_finite(chains, layout_);
    moves_.add(report);
    s += stride;
    executor_.check_stop();
    if (request_.display)
      request_.display->progress(done + share * static_cast<double>(s) / static_cast<double>(steps), "sampling");
  }
}

/// Copies what is observed into the samples from `first` on.
void Sampling::keep(const Chains& moved, Index first) {
  // Rows at the target's temperature are copied out of a ladder, and where they are to be changed.
  const bool apart = rungs_ > 1 || request_.descend;
  Chains own = apart ? rows_at_target(moved, layout_) : Chains(layout_, 0);
  if (request_.descend) descend_and_count(own, first);
  const Chains& chains = apart ? own : moved;
  if (!request_.descend) classes_.add(target_, chains, rungs_, executor_);
  if (request_.energies) model_.energy(chains, std::span(energies_).subspan(first, chains.size()));
  copy_observed(chains, samples_.data() + first * plan_.columns());
}

/// `chains` has a row for each sample from `first` on.
void Sampling::descend_and_count(Chains& chains, Index first) {
  if (plan_.clamp().empty()) {
    descend(model_, chains, executor_);
  } else {
    const HeldMask held = plan_.clamp().mask(first, chains.size(), 1);
    descend(model_, chains, executor_, &held);
  }
  std::vector<double> energy(chains.size());
  model_.energy(chains, energy);
  for (const double e : energy) {
    lowest_ = std::min(lowest_, e);
    total_ += e;
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
