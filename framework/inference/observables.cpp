#include <harmonium/framework/inference/observables.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {

Observables::Observables(const EnergyModel& model, const LeadingModes& modes) : model_(model) {
  constexpr Index most_projected = 2;
  names_.emplace_back("energy");
  for (const LayerId l : model.layout().ids()) {
    const Layer& layer = model.layout()[l];
    std::vector<double> weights(layer.columns(), 0.0);
    for (Index c = 0; c < weights.size(); c += layer.unit->width()) weights[c] = 1.0;
    projections_.push_back({l, std::move(weights)});
    names_.push_back(fmt::format("sum of {}", layer.name));
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
