#include <harmonium/plugins/builtin/inference.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/estimators/log_partition/exact.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/finite_chains.hpp>
#include <harmonium/framework/inference/rungs.hpp>
#include <harmonium/framework/inference/standstill.hpp>
#include <harmonium/framework/run/start_chains.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/samplers/gibbs.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

void check_held(ConstMatrixRef held, const Layout& layout, Index num_samples) {
  if (held.empty()) return;
  if (held.rows != 1 && held.rows != num_samples)
    throw ConfigError(fmt::format("sample: 'held' has {} rows, but there are {} samples. Give 1 row, or one for each.",
                                  held.rows, num_samples));
  if (const Index columns = layout.columns(layout.observed()); held.cols != columns)
    throw ConfigError(fmt::format(
        "sample: 'held' has {} columns, but the observed layers have {}. NaN is what is drawn.", held.cols, columns));
}

/// Writes what is held into the chains of all rungs, and says what it is.
HeldMask hold(ConstMatrixRef held, const Layout& layout, Index rungs, Chains& chains) {
  HeldMask mask;
  Index first = 0;
  for (const LayerId l : layout.ids()) {
    const Layer& layer = layout[l];
    if (layer.role != Role::observed || held.empty()) continue;
    const Index width = layer.unit->width();
    const MatrixRef x = chains.write(l);
    std::vector<std::uint8_t> units(x.rows * layer.size, 0);
    for (Index r = 0; r < x.rows; ++r) {
      const Real* known = held.row(held.rows == 1 ? 0 : r / rungs) + first;
      for (Index u = 0; u < layer.size; ++u) {
        const Real* own = known + u * width;
        const auto seen = std::count_if(own, own + width, [](Real v) { return !std::isnan(v); });
        if (seen != 0 && static_cast<Index>(seen) != width)
          throw ConfigError(
              fmt::format("sample: of unit {} of layer '{}' some columns are held and some are NaN.", u, layer.name));
        if (seen == 0) continue;
        units[r * layer.size + u] = 1;
        std::copy_n(own, width, x.row(r) + u * width);
      }
    }
    const auto is_held = [](std::uint8_t u) { return u != 0; };
    if (std::ranges::all_of(units, is_held)) mask.hold(l);
    else if (std::ranges::any_of(units, is_held)) mask.hold_units(l, layer.size, std::move(units));
    first += layer.columns();
  }
  return mask;
}

}  // namespace

Chains sample(const EnergyModel& model, SampleOptions options, const Execution& execution) {
  const Layout& layout = model.layout();
  check_held(options.held, layout, options.num_samples);
  if (!options.sampler) options.sampler = std::make_unique<Gibbs>();
  Sampler& sampler = *options.sampler;
  const Index rungs = sampler.rungs();
  Chains chains(layout, options.num_samples * rungs);
  assign_rungs(chains, rungs);
  start_from_biases(model, options.beta, execution.random.child("start"), chains);
  const HeldMask held = hold(options.held, layout, rungs, chains);
  Target target{model};
  target.beta = options.beta;
  if (!options.held.empty()) target.held = &held;
  sampler.check(target);
  check_adapted(sampler, "", options.steps, fmt::format("sample: {} steps", options.steps),
                [](std::uint64_t least) { return fmt::format("{} steps", least); });

  Standstill standstill(layout);
  standstill.started(chains, target.held);
  SamplerReport moves;
  for (std::uint64_t done = 0; done < options.steps;) {  // in strides, between which a stop is heard
    const std::uint64_t stride = std::min<std::uint64_t>(options.steps - done, 64);
    moves.add(sampler.advance(target, chains, stride, execution.part("sampler")));
    check_finite(chains, layout);
    done += stride;
    execution.executor.check_stop();
  }
  standstill.ended(chains, options.steps);
  if (const std::string complaint = standstill.complaint(moves); !complaint.empty())
    throw NumericalError("sample: " + complaint + ". Rows of the start are no samples. Take a smaller step.");
  return rungs > 1 ? rows_at_target(chains, layout) : std::move(chains);
}

double log_likelihood(const EnergyModel& model, const Dataset& data, const Execution& execution) {
  check_data(data, model.layout());
  const ExactLogPartition log_partition;
  log_partition.check(model);
  if (!offers_free_energy(model))
    throw CapabilityError(
        "log_likelihood: the free energy of the observed layers cannot be had, in closed form or by "
        "enumerating at most 2^16 states of the latent units.");
  const double log_z = log_partition.estimate(model, 1.0, execution).log_z;
  const Chains rows = spread_rows(data, model.layout(), 0, 0);
  return -mean_free_energy(model, rows, 1.0, execution.executor) - log_z;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
