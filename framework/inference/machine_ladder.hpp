#pragma once

#include <memory>
#include <span>
#include <vector>

#include <harmonium/framework/inference/machine_path.hpp>
#include <harmonium/framework/inference/replica_exchange.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Machines on a path, one a rung: the target's first, then down to the one of the last place. All but the first are copies.
class MachineRungs {
 public:
  /// `places`: 1, then descending to 0 or more. Throws CapabilityError where the model cannot be copied, and where a machine
  /// between two of the path has no density.
  MachineRungs(const EnergyModel& model, const MachinePath& path, std::span<const double> places);
  /// The same number of rungs at other places, or of a path that has changed.
  void set(const MachinePath& path, std::span<const double> places);
  /// Of each rung; `model` is that of the first.
  std::vector<const EnergyModel*> with(const EnergyModel& model) const;

 private:
  std::vector<std::unique_ptr<EnergyModel>> copies_;
};

/// Rows of several ladders, at each rung a batch with a row of each ladder, and the machine of each rung (the target's first).
/// Neighbors exchange their rows a at rung k, b at rung k + 1 with probability
///   min(1, exp{[U_k(a) + U_{k+1}(b)] − [U_k(b) + U_{k+1}(a)]}),
/// which leaves the product of all laws exp(−U_k) as it is (Béreux, Decelle, Furtlehner, Rosset & Seoane 2025). U is the free
/// energy of the observed units, where it has a closed form and latent units can be drawn given these; they are drawn anew after
/// a round then. Otherwise, and where latent units are held, U is the energy of all units.
class MachineLadder {
 public:
  /// `held`: of one rung's rows, null for none. `rows`: of each rung. Both, and the machines, must outlive it.
  MachineLadder(std::vector<const EnergyModel*> machines, const HeldMask* held, std::vector<Chains> rows);

  Index rungs() const { return rows_.size(); }
  Index num_ladders() const { return rows_.front().size(); }
  const Layout& layout() const { return machines_.front()->layout(); }
  const EnergyModel& machine(Index rung) const { return *machines_[rung]; }
  const Chains& rows(Index rung) const { return rows_[rung]; }
  std::vector<Chains> take_rows() { return std::move(rows_); }
  /// Which row of the ladder's own stands at a rung, counted at the start: ladder · rungs() + rung.
  Index identity(Index rung, Index ladder) const { return identity_[rung][ladder]; }
  void set_identity(Index rung, Index ladder, Index row) { identity_[rung][ladder] = row; }

  /// U of `rows` under `machine`, in nats. Throws NumericalError where one is no number.
  std::vector<double> energies(const EnergyModel& machine, const Chains& rows, const Executor& executor) const;
  /// A round of exchanges; even and odd pairs take turns with `round`. `tally` is by identity.
  void exchange(std::uint64_t round, const Execution& execution, ExchangeTally& tally, LadderReport& report);
  /// So many transitions of every row, by words of the part "rung<k>" of `execution`.
  SamplerReport move(Index steps, Sampler& sampler, const Execution& execution);

 private:
  bool sum_out_latent() const;
  void exchange_rows(Index rung, Index ladder);

  std::vector<const EnergyModel*> machines_;
  const HeldMask* held_;
  std::vector<Chains> rows_;
  std::vector<std::vector<Index>> identity_;
  bool free_energies_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
