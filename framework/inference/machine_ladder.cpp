#include <harmonium/framework/inference/machine_ladder.hpp>

#include <algorithm>
#include <string>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/finite_chains.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/model/tiling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

MachineRungs::MachineRungs(const EnergyModel& model, const MachinePath& path, std::span<const double> places) {
  for (Index k = 1; k < places.size(); ++k) {
    copies_.push_back(model.copy());
    if (!copies_.back())
      throw CapabilityError(
          "the model cannot be copied, and a ladder of machines needs one for each rung. Take parallel_tempering.");
  }
  set(path, places);
}

void MachineRungs::set(const MachinePath& path, std::span<const double> places) {
  for (Index k = 1; k < places.size(); ++k) {
    const std::vector<Real> theta = path.parameters(places[k]);
    EnergyModel& machine = *copies_[k - 1];
    if (std::ranges::equal(theta, machine.parameters())) continue;
    try {
      machine.update_parameters([&](std::span<Real> out) { std::ranges::copy(theta, out.begin()); });
    } catch (const NumericalError& error) {
      throw CapabilityError("the machine of update " + path.name_of(places[k]) +
                            " has no density: " + std::string(error.what()));
    }
  }
}

std::vector<const EnergyModel*> MachineRungs::with(const EnergyModel& model) const {
  std::vector<const EnergyModel*> machines{&model};
  for (const auto& copy : copies_) machines.push_back(copy.get());
  return machines;
}

MachineLadder::MachineLadder(std::vector<const EnergyModel*> machines, const HeldMask* held, std::vector<Chains> rows)
    : machines_(std::move(machines)), held_(held), rows_(std::move(rows)), identity_(rows_.size()) {
  HARMONIUM_ASSERT(machines_.size() == rows_.size());
  for (Index k = 0; k < rungs(); ++k)
    for (Index ladder = 0; ladder < num_ladders(); ++ladder) identity_[k].push_back(ladder * rungs() + k);
  free_energies_ = sum_out_latent();
}

bool MachineLadder::sum_out_latent() const {
  const EnergyModel& model = *machines_.front();
  const std::vector<LayerId> latent = layout().ids(layout().latent());
  if (latent.empty() || !model.free_energy() || !model.free_energy()->closed(layout().observed())) return false;
  if (!posterior_factorizes(model)) return false;
  return std::ranges::none_of(
      latent, [&](LayerId l) { return held_ && (held_->holds(l) || !held_->units(l, 0, num_ladders()).empty()); });
}

std::vector<double> MachineLadder::energies(const EnergyModel& machine, const Chains& rows,
                                            const Executor& executor) const {
  std::vector<double> found(rows.size());
  const ConstChainView all = rows.real();
  executor.for_each_piece(rows.size(), Tiling::of(rows.size()).rows, [&](Index begin, Index end) {
    const ConstChainView x = all.slice(begin, end);
    const auto out = std::span(found).subspan(begin, end - begin);
    if (free_energies_) machine.free_energy()->evaluate(layout().observed(), 1.0, x, out);
    else machine.energy(x, out);
    check_energies(out, x);
  });
  return found;
}

void MachineLadder::exchange_rows(Index rung, Index ladder) {
  for (const LayerId l : layout().ids()) {
    const std::span<Real> a = rows_[rung].write(l)[ladder], b = rows_[rung + 1].write(l)[ladder];
    std::swap_ranges(a.begin(), a.end(), b.begin());
  }
  std::swap(identity_[rung][ladder], identity_[rung + 1][ladder]);
}

void MachineLadder::exchange(std::uint64_t round, const Execution& execution, ExchangeTally& tally,
                             LadderReport& report) {
  const Executor& executor = execution.executor;
  const DrawBlock words =
      DrawBlock::of(execution.random.child("swap"), rows_[0].first_chain(), rows_[0].step(), layout().id(0));
  for (Index k = round % 2; k + 1 < rungs(); k += 2) {
    const std::vector<double> near = energies(machine(k), rows_[k], executor),
                              far = energies(machine(k + 1), rows_[k + 1], executor),
                              near_moved = energies(machine(k + 1), rows_[k], executor),
                              far_moved = energies(machine(k), rows_[k + 1], executor);
    for (Index ladder = 0; ladder < num_ladders(); ++ladder) {
      const double log_ratio = (near[ladder] - near_moved[ladder]) + (far[ladder] - far_moved[ladder]);
      const double uniform = uniform_f64(words.word(ladder, static_cast<std::uint32_t>(k)));
      if (take_exchange(log_ratio, uniform, k, tally, report)) exchange_rows(k, ladder);
    }
    for (Index rung = k; free_energies_ && rung < k + 2; ++rung) {
      Posterior posterior;
      const RandomSource source = execution.random.child("latent" + std::to_string(rung));
      posterior.sample(machine(rung), rows_[rung], source, rows_[rung], executor);
    }
  }
  for (Index ladder = 0; ladder < num_ladders(); ++ladder)
    count_ends(ladder, identity_.front()[ladder], identity_.back()[ladder], tally, report);
}

SamplerReport MachineLadder::move(Index steps, Sampler& sampler, const Execution& execution) {
  SamplerReport report;
  double acceptance = 0.0;
  for (Index k = 0; k < rungs(); ++k) {
    const Target target{.model = machine(k), .held = held_};
    const SamplerReport of_rung = sampler.advance(target, rows_[k], steps, execution.part("rung" + std::to_string(k)));
    acceptance += of_rung.acceptance;
    report.proposed += of_rung.proposed;
    report.min_acceptance = of_rung.min_acceptance;
  }
  report.acceptance = acceptance / static_cast<double>(rungs());
  return report;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
