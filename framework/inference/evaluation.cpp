#include <harmonium/framework/inference/evaluation.hpp>

#include <algorithm>
#include <numeric>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/closed_free_energies.hpp>
#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/inference/stack_sums.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double most_summed_bits = 16.0;  // of the latent states that a row's free energy may enumerate

}  // namespace

bool offers_free_energy(const EnergyModel& model) {
  const LayerSet observed = model.layout().observed();
  return model.free_energy() &&
         (model.free_energy()->closed(observed) || Enumeration::log2_states(model, observed) <= most_summed_bits);
}

double free_energy_operations(const EnergyModel& model) {
  const LayerSet observed = model.layout().observed();
  const FreeEnergy& free_energy = *model.free_energy();
  if (free_energy.closed(observed)) return free_energy.operations(observed);
  if (stacked_machines(model)) return StackSums::operations(model);
  const Enumeration enumeration(model, observed, most_summed_bits);
  return static_cast<double>(enumeration.num_states()) * free_energy.operations(enumeration.enumerated() | observed);
}

std::vector<double> log_base(const Layout& layout, const Chains& rows, const HeldMask* seen) {
  std::vector<double> sums(rows.size(), 0.0);
  for (const LayerId l : layout.ids(layout.observed())) {
    const UnitType& unit = *layout[l].unit;
    if (!unit.has_base()) continue;
    const ConstMatrixRef x = rows.read(l);
    const bool all = !seen || seen->holds(l);
    const auto units = all ? MatrixView<const std::uint8_t>{} : seen->units(l, 0, rows.size());
    for (Index r = 0; r < x.rows; ++r)
      for (Index c = 0; c < x.cols; ++c)
        if (all || (!units.empty() && units(r, c) != 0)) sums[r] += unit.log_base(static_cast<double>(x(r, c)));
  }
  return sums;
}

std::vector<double> free_energies(const EnergyModel& model, const Chains& rows, double beta, const Executor& executor) {
  if (!offers_free_energy(model))
    throw CapabilityError(
        "the model offers no free energy: its latent units are coupled given the observed ones, and too many to "
        "enumerate.");
  const Layout& layout = model.layout();
  const LayerSet observed = layout.observed();
  std::vector<double> energies(rows.size());
  const auto with_base = [&] {
    in_place(std::span(energies)) -= as_xtensor(std::span<const double>(log_base(layout, rows)));
    return std::move(energies);
  };
  if (model.free_energy()->closed(observed)) {
    energies = closed_free_energies(model, observed, beta, rows, executor);
    return with_base();
  }
  if (beta == 1.0 && stacked_machines(model)) {
    energies = StackSums(model, executor).free_energies(rows, executor);
    return with_base();
  }
  const Enumeration enumeration(model, observed, most_summed_bits);
  const Executor alone(1);
  executor.for_each_piece(rows.size(), 4, [&](Index begin, Index end) {
    Chains given(layout, 1);
    for (Index r = begin; r < end; ++r) {
      executor.check_stop();
      given.copy_to_all(observed, rows, r);
      energies[r] = -enumeration.log_sum(beta, &given, alone);
    }
  });
  return with_base();
}

double mean_free_energy(const EnergyModel& model, const Chains& rows, double beta, const Executor& executor) {
  return mean_of_rows(free_energies(model, rows, beta, executor), executor);
}

double mean_of_rows(std::span<const double> figures, const Executor& executor) {
  const double sum = executor.sum_in_order(figures.size(), 512, [&](Index begin, Index end) {
    return std::accumulate(&figures[begin], &figures[begin] + (end - begin), 0.0);
  });
  return sum / static_cast<double>(figures.size());
}

bool offers_reconstruction(const EnergyModel& model) {
  const Layout& layout = model.layout();
  return !layout.latent().empty() && posterior_factorizes(model) && model.block_conditionals() &&
         model.block_conditionals()->independent(layout.observed(), layout.latent());
}

double reconstruction_error(const EnergyModel& model, const Chains& rows, double beta, const Executor& executor) {
  const Layout& layout = model.layout();
  const ConstChainView x = rows.real();
  const double sum = executor.sum_in_order(rows.size(), 128, [&](Index begin, Index end) {
    const Index n = end - begin;
    Chains means(layout, n);
    const std::vector<Real> scale(n, static_cast<Real>(beta));
    const auto update = [&](Role role) {
      for (const Block& block : model.block_conditionals()->blocks()) {
        const Layer& layer = layout[block.layer];
        if (layer.role != role) continue;
        UnitBuffer buffer(*layer.unit, n, layer.columns());
        Fields fields = buffer.fields();
        fields.scale = scale.data();
        const ConstChainView given = role == Role::latent ? x.slice(begin, end) : ConstChainView(means);
        model.block_conditionals()->fields(block, 0, block.size, given, fields);
        layer.unit->moments(fields, means.write(block.layer), {});
      }
    };
    update(Role::latent);
    update(Role::observed);
    double error = 0.0;
    for (const LayerId l : layout.ids(layout.observed())) {
      const ConstMatrixRef seen = x.slice(begin, end)[l], made = means.read(l);
      const auto miss = xt::cast<double>(as_xtensor(seen.all())) - xt::cast<double>(as_xtensor(made.all()));
      for (const double d : miss) error += d * d;
    }
    return error;
  });
  return sum / static_cast<double>(rows.size() * layout.columns(layout.observed()));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
