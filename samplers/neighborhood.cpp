#include <harmonium/samplers/neighborhood.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <harmonium/framework/core/numerics.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double no_neighbor = -std::numeric_limits<double>::infinity();

/// log g(t) for log t.
double log_balanced(Balance balance, double log_t) {
  return balance == Balance::sqrt ? 0.5 * log_t : -log1pexp(-log_t);
}

}  // namespace

NeighborMoves::NeighborMoves(const Target& of, LayerSet kept_layers, LayerSet moving, Balance how)
    : target(of), kept(kept_layers), balance(how), layers(of.model.layout().ids(moving)) {
  first.push_back(0);
  for (const LayerId l : layers) {
    const Layer& layer = of.model.layout()[l];
    states.emplace_back(*layer.unit);
    first.push_back(first.back() + layer.size * layer.unit->num_states());
  }
}

Neighborhood::Neighborhood(const NeighborMoves& plan, ChainView x)
    : plan_(plan), x_(x), log_g_(zeros<double>(x.rows(), plan.neighbors())), sums_(x.rows()) {
  for (Index r = x.begin; r < x.end; ++r) betas_.push_back(plan.target.beta_of(x.chains->rung()[r]));
}

bool Neighborhood::any(Index row) const { return sums_[row] != no_neighbor; }

Neighborhood::Place Neighborhood::place(Index neighbor) const {
  const auto above = std::ranges::upper_bound(plan_.first, neighbor);
  const auto layer = static_cast<Index>(above - plan_.first.begin()) - 1;
  const Index within = neighbor - plan_.first[layer], num_states = plan_.states[layer].size();
  return {layer, within / num_states, within % num_states};
}

/// log π(y)/π(x) of all neighbors: of the model at each row's β, or, where all layers are kept, of the base at 1 − β too.
void Neighborhood::add_ratios(const EnergyModel& of, bool base) {
  const Layout& layout = plan_.target.model.layout();
  const bool scaled = plan_.kept == layout.all();  // F is E then, and its ratios go by β
  const double beta = scaled ? 1.0 : plan_.target.beta;
  for (Index l = 0; l < plan_.layers.size(); ++l) {
    std::vector<Index> units(layout[plan_.layers[l]].size);
    std::iota(units.begin(), units.end(), Index{0});
    const Index columns = plan_.first[l + 1] - plan_.first[l];
    Matrix<double> found = zeros<double>(x_.rows(), columns);
    of.free_energy()->log_ratios(layout, plan_.kept, beta, x_, plan_.layers[l], units, as_matrix(found));
    for (Index r = 0; r < x_.rows(); ++r) {
      const double factor = !scaled ? 1.0 : base ? 1.0 - betas_[r] : betas_[r];
      in_place(row_of(log_g_, r).subspan(plan_.first[l], columns)) += factor * as_xtensor(row_of(found, r));
    }
  }
}

/// The row itself and what is held are no neighbors.
void Neighborhood::leave_out(Index layer) {
  const LayerId id = plan_.layers[layer];
  const UnitStates& states = plan_.states[layer];
  const Index width = plan_.target.model.layout()[id].unit->width(), num_states = states.size();
  const MatrixRef x = x_[id];
  const auto held =
      plan_.target.held ? plan_.target.held->units(id, x_.begin, x_.end) : MatrixView<const std::uint8_t>{};
  for (Index r = 0; r < x_.rows(); ++r)
    for (Index u = 0; u < x.cols / width; ++u) {
      double* const own = &log_g_(r, plan_.first[layer] + u * num_states);
      if (!held.empty() && held(r, u) != 0) std::fill_n(own, num_states, no_neighbor);
      else if (const Index present = states.find(x[r].subspan(u * width, width)); present < num_states)
        own[present] = no_neighbor;
    }
}

void Neighborhood::look() {
  log_g_.fill(0.0);
  add_ratios(plan_.target.model, false);
  if (plan_.target.base && !plan_.target.untempered()) add_ratios(*plan_.target.base, true);
  for (double& v : log_g_) v = log_balanced(plan_.balance, v);
  for (Index l = 0; l < plan_.layers.size(); ++l) leave_out(l);
  for (Index r = 0; r < x_.rows(); ++r) sums_[r] = logsumexp(row_of(log_g_, r));
}

Index Neighborhood::pick(Index row, double uniform) const {
  double rest = uniform;
  Index last = plan_.neighbors();
  for (Index n = 0; n < plan_.neighbors(); ++n) {
    if (log_g_(row, n) == no_neighbor) continue;
    last = n;
    rest -= std::exp(log_g_(row, n) - sums_[row]);
    if (rest < 0.0) break;
  }
  return last;
}

Index Neighborhood::go(Index row, Index neighbor) {
  const Place p = place(neighbor);
  const UnitStates& states = plan_.states[p.layer];
  const LayerId id = plan_.layers[p.layer];
  const Index width = plan_.target.model.layout()[id].unit->width();
  const std::span<Real> own = x_[id][row].subspan(p.unit * width, width);
  const Index before = states.find(own);
  std::ranges::copy(states[p.state], own.begin());
  return before < states.size() ? neighbor - p.state + before : plan_.neighbors();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
