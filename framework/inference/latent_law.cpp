#include <harmonium/framework/inference/latent_law.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index rows_of_a_piece = 64;

/// The probabilities of the enumerated states of one row.
std::vector<double> state_probabilities(const Enumeration& enumeration, const EnergyModel& model, const Chains& rows,
                                        Index row) {
  Chains given(model.layout(), 1);
  given.copy_to_all(model.layout().observed(), rows, row);
  std::vector<double> p = enumeration.log_probabilities(1.0, &given, Executor(1));
  std::ranges::transform(p, p.begin(), [](double l) { return std::exp(l); });
  return p;
}

/// Adds the means of the latent layers over the states of one row to `sums`, one vector a layer.
void add_means(const Enumeration& enumeration, const EnergyModel& model, const Chains& rows, Index row,
               PerLayer<std::vector<double>>& sums) {
  const Layout& layout = model.layout();
  const std::vector<double> p = state_probabilities(enumeration, model, rows, row);
  const Executor alone(1);
  for (std::uint64_t begin = 0; begin < p.size(); begin += Enumeration::piece) {
    const std::uint64_t end = std::min<std::uint64_t>(begin + Enumeration::piece, p.size());
    Chains states(layout, end - begin);
    states.copy_to_all(layout.observed(), rows, row);
    enumeration.states(begin, end, states);
    Posterior summed(enumeration.summed());
    const Moments& moments = summed.moments(model, states, alone);
    for (const LayerId l : layout.ids(layout.latent()))
      for (Index i = 0; i < end - begin; ++i) {
        const Real* mean = moments.mean[l].row(i);
        for (Index c = 0; c < sums[l].size(); ++c) sums[l][c] += p[begin + i] * static_cast<double>(mean[c]);
      }
  }
}

}  // namespace

bool offers_enumerated_law(const EnergyModel& model) {
  return model.free_energy() && model.block_conditionals() &&
         Enumeration::log2_states(model, model.layout().observed()) <= most_enumerated_bits;
}

Chains enumerated_means(const EnergyModel& model, const Chains& rows, const Executor& executor) {
  const Layout& layout = model.layout();
  const Enumeration enumeration(model, layout.observed(), most_enumerated_bits);
  rows.real();
  Chains means = rows;
  PerLayer<MatrixRef> out(layout.size());
  for (const LayerId l : layout.ids(layout.latent())) out[l] = means.write(l);
  executor.for_each_piece(rows.size(), 1, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      executor.check_stop();
      PerLayer<std::vector<double>> sums;
      sums.resize(layout.size());
      for (const LayerId l : layout.ids(layout.latent())) sums[l].assign(layout[l].columns(), 0.0);
      add_means(enumeration, model, rows, r, sums);
      for (const LayerId l : layout.ids(layout.latent()))
        std::ranges::transform(sums[l], out[l].row(r), [](double v) { return static_cast<Real>(v); });
    }
  });
  return means;
}

Chains enumerated_draws(const EnergyModel& model, const Chains& rows, std::uint32_t first_chain,
                        const Execution& execution) {
  const Layout& layout = model.layout();
  const Enumeration enumeration(model, layout.observed(), most_enumerated_bits);
  rows.real();
  std::vector<std::uint64_t> state(rows.size());
  const DrawBlock words = DrawBlock::of(execution.random.child("state"), first_chain, 0, layout.id(0));
  execution.executor.for_each_piece(rows.size(), 1, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      execution.executor.check_stop();
      const std::vector<double> p = state_probabilities(enumeration, model, rows, r);
      double left = uniform_f64(words.word(r, 0));
      for (state[r] = 0; state[r] + 1 < p.size() && left >= p[state[r]]; ++state[r]) left -= p[state[r]];
    }
  });
  Chains drawn(layout, rows.size(), first_chain);
  drawn.copy_rows(layout.observed(), rows);
  Chains one(layout, 1);
  for (Index r = 0; r < rows.size(); ++r) {
    enumeration.states(state[r], state[r] + 1, one);
    drawn.copy_rows(enumeration.enumerated(), one, r);
  }
  Chains given = drawn;
  Posterior summed(enumeration.summed());
  summed.sample(model, given, execution.random.child("summed"), drawn, execution.executor);
  return drawn;
}

bool offers_mean_field(const EnergyModel& model) {
  return model.factorized_expectation() && model.block_conditionals();
}

Chains mean_field_means(const EnergyModel& model, const Chains& rows, const MeanFieldLimits& limits,
                        const Executor& executor, double* left) {
  if (!offers_mean_field(model))
    throw CapabilityError("the model offers no conditionals, or no expectation of its gradient, for mean field.");
  const Layout& layout = model.layout();
  rows.real();
  Chains means = rows;
  for (const LayerId l : layout.ids(layout.latent()))
    copy_to_rows(means_without_field(*layout[l].unit, layout[l].columns()), means.write(l));
  const auto update = [&](const Block& block, Index begin, Index end) {
    const UnitType& unit = *layout[block.layer].unit;
    const Index width = unit.width();
    UnitBuffer buffer(unit, end - begin, block.size * width);
    model.block_conditionals()->fields(block, 0, block.size, {means, begin, end}, buffer.fields());
    unit.moments(buffer.fields(), buffer.first(), {});
    const MatrixRef to = ChainView(means, begin, end)[block.layer], mean = buffer.first();
    double moved = 0.0;
    for (Index r = 0; r < mean.rows; ++r)
      for (Index k = 0; k < mean.cols; ++k) {
        Real& m = to(r, (block.whole() ? k / width : block.units[k / width]) * width + k % width);
        moved = std::max(moved, std::abs(static_cast<double>(mean(r, k)) - static_cast<double>(m)));
        m = mean(r, k);
      }
    return moved;
  };
  const Index pieces = (rows.size() + rows_of_a_piece - 1) / rows_of_a_piece;
  std::vector<double> last(pieces, 0.0);
  executor.for_each_piece(rows.size(), rows_of_a_piece, [&](Index begin, Index end) {
    for (Index i = 0; i < limits.max_iterations; ++i) {
      executor.check_stop();
      double moved = 0.0;
      for (const Block& block : model.block_conditionals()->blocks())
        if (layout[block.layer].role == Role::latent) moved = std::max(moved, update(block, begin, end));
      last[begin / rows_of_a_piece] = moved;
      if (moved <= limits.tolerance) break;
    }
  });
  if (left) *left = last.empty() ? 0.0 : *std::ranges::max_element(last);
  return means;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
