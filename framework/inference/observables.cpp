#include <harmonium/framework/inference/observables.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <xtensor-blas/xlinalg.hpp>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index most_columns = 3000;  // of a matrix whose singular vectors are found in seconds

/// Whether rows and columns of a coupling are the columns of two layers, or of one: models of plugins may have others.
bool joins_two_layers(const ParameterBlock& b, const Layout& layout) {
  return b.role == ParameterRole::coupling && b.layers.size() == 2 && b.rows == layout[b.layers[0]].columns() &&
         b.cols == layout[b.layers[1]].columns();
}

}  // namespace

Observables::Observables(const EnergyModel& model, Index num_modes) : model_(model) {
  names_.emplace_back("energy");
  for (const LayerId l : model.layout().ids()) {
    const Layer& layer = model.layout()[l];
    std::vector<double> weights(layer.columns(), 0.0);
    for (Index c = 0; c < weights.size(); c += layer.unit->width()) weights[c] = 1.0;
    projections_.push_back({l, std::move(weights)});
    names_.push_back(fmt::format("sum of {}", layer.name));
  }
  add_modes(num_modes);
}

void Observables::add_modes(Index num_modes) {
  const ParameterLayout& parameters = model_.parameter_layout();
  Index largest = parameters.blocks().size();
  for (Index n = 0; n < parameters.blocks().size(); ++n)
    if (joins_two_layers(parameters[n], model_.layout()) && parameters[n].cols > 1 &&
        (largest == parameters.blocks().size() || parameters[n].size() > parameters[largest].size()))
      largest = n;
  if (largest == parameters.blocks().size()) return;
  const ParameterBlock& block = parameters[largest];
  const bool first = block.rows <= block.cols;  // the side with fewer columns is projected
  const Index side = std::min(block.rows, block.cols);
  if (side > most_columns) return;
  const BlasCall room;
  const Matrix<double> w = xt::cast<double>(as_xtensor(parameters.view(largest, model_.parameters().data())));
  const Matrix<double> square = first ? Matrix<double>(xt::linalg::dot(w, xt::transpose(w)))
                                      : Matrix<double>(xt::linalg::dot(xt::transpose(w), w));
  const auto [values, vectors] = xt::linalg::eigh(square);  // ascending
  coupling_ = block.name;
  for (Index k = 0; k < std::min<Index>(10, side); ++k)
    singular_values_.push_back(std::sqrt(std::max(0.0, values(side - 1 - k))));
  for (Index k = 0; k < std::min(num_modes, side); ++k) {
    Projection mode{first ? block.layers[0] : block.layers[1], {}};
    for (Index c = 0; c < side; ++c) mode.weights.push_back(vectors(c, side - 1 - k));
    projections_.push_back(std::move(mode));
    names_.push_back(fmt::format("mode {} of {}", k + 1, block.name));
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
