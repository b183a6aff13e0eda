#include <harmonium/framework/inference/observables.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {

namespace {

bool has_a_column_a_state(const UnitType& unit) { return unit.width() > 1 && unit.width() == unit.num_states(); }

/// The columns of a categorical unit always add up to 1; the mean number of its state tells any two states apart.
std::vector<double> weights_of_columns(const Layer& layer) {
  std::vector<double> weights(layer.columns(), 1.0);
  if (!has_a_column_a_state(*layer.unit)) return weights;
  const Index states = layer.unit->num_states();
  for (Index c = 0; c < weights.size(); ++c)
    weights[c] = static_cast<double>(c % states) / static_cast<double>(layer.size);
  return weights;
}

}  // namespace

Observables::Observables(const EnergyModel& model, const LeadingModes& modes) : model_(model) {
  constexpr Index most_projected = 2;
  names_.emplace_back("energy");
  for (const LayerId l : model.layout().ids()) {
    const Layer& layer = model.layout()[l];
    projections_.push_back({l, weights_of_columns(layer)});
    names_.push_back(fmt::format("{} of {}", has_a_column_a_state(*layer.unit) ? "mean state" : "sum", layer.name));
  }
  for (Index k = 0; k < std::min<Index>(most_projected, modes.singular_values.size()); ++k) {
    Projection mode{modes.smaller_is_first ? modes.first : modes.second, {}};
    for (Index c = 0; c < modes.of_smaller.shape(0); ++c) mode.weights.push_back(modes.of_smaller(c, k));
    projections_.push_back(std::move(mode));
    names_.push_back(fmt::format("mode {} of {}", k + 1, modes.coupling));
  }
}

void Observables::evaluate(const Chains& chains, const Executor& executor, MatrixView<double> out) const {
  std::vector<double> energies(chains.size());
  const ConstChainView x = chains.real();
  executor.for_each_piece(chains.size(), 64, [&](Index begin, Index end) {
    model_.energy(x.slice(begin, end), std::span(energies).subspan(begin, end - begin));
    for (Index r = begin; r < end; ++r) {
      out(r, 0) = energies[r];
      for (Index p = 0; p < projections_.size(); ++p) {
        const auto row = chains.read(projections_[p].layer)[r];
        double sum = 0.0;
        for (Index c = 0; c < row.size(); ++c) sum += projections_[p].weights[c] * static_cast<double>(row[c]);
        out(r, p + 1) = sum;
      }
    }
  });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
