#include <harmonium/framework/inference/means_by_chains.hpp>

#include <algorithm>
#include <cmath>

#include <harmonium/framework/core/assert.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/held_state.hpp>
#include <harmonium/framework/inference/second_moments.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index chains_of_task = 64;

/// Adds E[x_i | the others] of all units of `layers` to the sums of these chains, chains × their columns, and E[x_i² | the others] to
/// `squares`, where it is not null.
void add_conditional_means(const EnergyModel& model, const Chains& chains, Index begin, Index end, LayerSet layers,
                           const PerLayer<Index>& first, Matrix<double>& sums, Matrix<double>* squares) {
  const Layout& layout = model.layout();
  for (const Block& block : model.block_conditionals()->blocks()) {
    if (!layers.contains(block.layer)) continue;
    const UnitType& unit = *layout[block.layer].unit;
    const Index width = unit.width();
    UnitBuffer buffer(unit, end - begin, block.size * width);
    model.block_conditionals()->fields(block, 0, block.size, {chains, begin, end}, buffer.fields());
    Matrix<double> second;
    if (squares) second = second_moments(unit, buffer.fields());
    unit.moments(buffer.fields(), buffer.first(), {});
    const ConstMatrixRef mean = buffer.first();
    for (Index k = 0; k < block.size; ++k) {
      const Index u = block.whole() ? k : block.units[k];
      for (Index r = 0; r < mean.rows; ++r)
        for (Index c = 0; c < width; ++c) {
          const Index at = first[block.layer] + u * width + c;
          sums(begin + r, at) += static_cast<double>(mean(r, k * width + c));
          if (squares) (*squares)(begin + r, at) += second(r, k * width + c);
        }
    }
  }
}

}  // namespace

bool offers_means_by_chains(const EnergyModel& model) { return model.block_conditionals() != nullptr; }

EstimatedMeans means_by_chains(const EnergyModel& model, Sampler& sampler, Chains& chains, const HeldMask& held,
                               LayerSet layers, const ChainAverage& average, const Execution& execution,
                               FunctionRef<void(double share)> done) {
  HARMONIUM_ASSERT(sampler.rungs() == 1 && average.chains_of_row > 1 && average.steps > 0);
  HARMONIUM_ASSERT(chains.size() % average.chains_of_row == 0);
  if (!offers_means_by_chains(model)) throw CapabilityError("the model offers no conditionals of its units.");
  const Layout& layout = model.layout();
  const PerLayer<Index> first = layout.first_columns(layers);
  const Index columns = layout.columns(layers), n = average.chains_of_row;
  Target target{model};
  target.held = &held;
  Matrix<double> sums = zeros<double>(chains.size(), columns), squares_of_units;
  if (average.variances) squares_of_units = zeros<double>(chains.size(), columns);
  const Index all = average.warm_up + average.steps;
  for (Index step = 0; step < all; ++step) {
    execution.executor.check_stop();
    if (step > 0) done(static_cast<double>(step) / static_cast<double>(all));
    sampler.advance(target, chains, 1, execution);
    if (step < average.warm_up) continue;
    chains.real();
    execution.executor.for_each_piece(chains.size(), chains_of_task, [&](Index begin, Index end) {
      add_conditional_means(model, chains, begin, end, layers, first, sums,
                            average.variances ? &squares_of_units : nullptr);
    });
  }
  done(1.0);

  EstimatedMeans found{zeros<double>(chains.size() / n, columns), zeros<double>(chains.size() / n, columns)};
  if (average.variances) found.variances = zeros<double>(chains.size() / n, columns);
  const auto steps = static_cast<double>(average.steps), number = static_cast<double>(n);
  for (Index r = 0; r < chains.size() / n; ++r)
    for (const LayerId l : layout.ids(layers))
      for (Index c = 0; c < layout[l].columns(); ++c) {
        const Index at = first[l] + c;
        if (holds_unit(held, l, r * n, c / layout[l].unit->width())) {
          found.means(r, at) = static_cast<double>(chains.read(l)(r * n, c));
          continue;
        }
        double mean = 0.0, squares = 0.0;
        for (Index k = 0; k < n; ++k) mean += sums(r * n + k, at) / steps / number;
        for (Index k = 0; k < n; ++k) squares += std::pow(sums(r * n + k, at) / steps - mean, 2);
        found.means(r, at) = mean;
        found.errors(r, at) = std::sqrt(squares / (number - 1.0) / number);
        if (!average.variances) continue;
        double second = 0.0;
        for (Index k = 0; k < n; ++k) second += squares_of_units(r * n + k, at) / steps / number;
        found.variances(r, at) = std::max(0.0, second - mean * mean);
      }
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
