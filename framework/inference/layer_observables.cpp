#include <harmonium/framework/inference/layer_observables.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

Index num_all_units(const Layout& layout) {
  Index units = 0;
  for (const Layer& layer : layout.layers()) units += layer.size;
  return units;
}

LayerObservables::LayerObservables(const EnergyModel& model, LayerId layer, const SiteGrid* grid) : layer_(layer) {
  const Layer& own = model.layout()[layer];
  const UnitType& unit = *own.unit;
  num_units_ = own.size;
  width_ = unit.width();
  if (unit.num_states() > 0 && width_ > 1) {
    kind_ = Kind::sites;
    const UnitStates states(unit);
    for (Index s = 0; s < states.size(); ++s) {
      states_.insert(states_.end(), states[s].begin(), states[s].end());
      names_.push_back(fmt::format("share_{}", s));
    }
  } else if (unit.num_states() == 2) {
    kind_ = Kind::spins;
    const UnitStates states(unit);
    const auto a = static_cast<double>(states[0][0]), b = static_cast<double>(states[1][0]);
    scale_ = 2.0 / std::abs(b - a);
    shift_ = -scale_ * std::min(a, b) - 1.0;
  }
  find_magnetizations(unit);
  if (kind_ != Kind::sites) names_.emplace_back(magnetizations_ ? "magnetization" : "mean");
  if (kind_ == Kind::numbers) names_.emplace_back("mean_square");
  find_pairs(model);
  if (num_pairs_ > 0) names_.emplace_back(pair_name());
  if (grid && magnetizations_) find_wave_number(*grid);
  if (grid && magnetizations_ && num_pairs_ > 0) find_signs(*grid);
  if (grid) find_distances(*grid);
}

void LayerObservables::find_magnetizations(const UnitType& unit) {
  const auto n = static_cast<double>(num_units_);
  if (kind_ == Kind::spins) magnetizations_ = Levels{-1.0, 2.0 / n, num_units_ + 1};
  if (kind_ != Kind::numbers || unit.num_states() < 3) return;
  const UnitStates states(unit);
  const auto value = [&](Index s) { return static_cast<double>(states[s][0]); };
  const Index last = states.size() - 1;
  const double first = value(0), step = -2.0 * first / static_cast<double>(last);
  for (Index s = 0; s <= last; ++s)
    if (!(std::abs(value(s) - first - step * static_cast<double>(s)) < 1e-4 * step)) return;
  magnetizations_ = Levels{first, step / n, num_units_ * last + 1};
}

void LayerObservables::find_pairs(const EnergyModel& model) {
  const ParameterLayout& parameters = model.parameter_layout();
  for (Index k = 0; k < parameters.blocks().size(); ++k) {
    const ParameterBlock& b = parameters[k];
    const Real* const values = model.parameters().data() + b.offset;
    if (b.role == ParameterRole::edges && b.layers[0] == layer_)
      for (const Edge& e : *b.edges)
        if (values[e.entry] != Real(0)) pairs_.emplace_back(e.a, e.b);
    const bool within = b.role == ParameterRole::coupling && b.layers.size() == 2 && b.layers[0] == layer_ &&
                        b.layers[1] == layer_ && b.rows == num_units_ * width_ && b.cols == b.rows;
    if (!within) continue;
    const ConstMatrixRef w = parameters.view(k, model.parameters().data());
    const auto couples = [&](Index i, Index j) {
      for (Index r = 0; r < width_; ++r)
        for (Index c = 0; c < width_; ++c)
          if (w(i * width_ + r, j * width_ + c) != Real(0)) return true;
      return false;
    };
    for (Index i = 0; i < num_units_; ++i)
      for (Index j = i + 1; j < num_units_; ++j)
        if (couples(i, j)) pairs_.emplace_back(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j));
  }
  num_pairs_ = pairs_.size();
  all_pairs_ = num_units_ > 1 && num_pairs_ == num_units_ * (num_units_ - 1) / 2;
  if (all_pairs_) pairs_ = {};  // their sum follows from those of the units
}

std::vector<LayerObservables::Pair> LayerObservables::coupled_pairs() const {
  std::vector<Pair> pairs = pairs_;
  for (std::uint32_t i = 0; all_pairs_ && i < num_units_; ++i)
    for (std::uint32_t j = i + 1; j < num_units_; ++j) pairs.emplace_back(i, j);
  for (auto& [i, j] : pairs)
    if (i > j) std::swap(i, j);
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());  // terms may share one
  return pairs;
}

bool LayerObservables::in_state(std::span<const Real> row, Index site, Index state) const {
  return std::ranges::equal(row.subspan(site * width_, width_), std::span(states_).subspan(state * width_, width_));
}

Index LayerObservables::state_of(std::span<const Real> row, Index site) const {
  Index state = 0;
  while (state + 1 < numbers_of_unit() && !in_state(row, site, state)) ++state;
  return state;
}

void LayerObservables::tell_units(std::span<const Real> row, std::span<double> out) const {
  if (kind_ != Kind::sites) {
    std::ranges::transform(row, out.begin(), [&](Real x) { return spin(x); });
    return;
  }
  const Index states = numbers_of_unit();
  for (Index i = 0; i < num_units_; ++i)
    for (Index s = 0; s < states; ++s) out[i * states + s] = in_state(row, i, s) ? 1.0 : 0.0;
}

void LayerObservables::count_states(std::span<const Real> row, std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  for (Index i = 0; i < num_units_; ++i)
    for (Index s = 0; s < out.size(); ++s)
      if (in_state(row, i, s)) out[s] += 1.0 / static_cast<double>(num_units_);
}

double LayerObservables::likeness(std::span<const Real> row, Index one, Index other) const {
  if (kind_ != Kind::sites) return spin(row[one]) * spin(row[other]);
  return std::ranges::equal(row.subspan(one * width_, width_), row.subspan(other * width_, width_)) ? 1.0 : 0.0;
}

/// Σ s_i s_j, or Σ δ(s_i, s_j), over the pairs that are listed.
double LayerObservables::sum_of_pairs(std::span<const Real> row) const {
  return std::accumulate(pairs_.begin(), pairs_.end(), 0.0, [&](double total, const auto& pair) {
    return total + likeness(row, pair.first, pair.second);
  });
}

void LayerObservables::measure(std::span<const Real> row, std::span<double> out) const {
  const auto n = static_cast<double>(num_units_);
  double both = 0.0;  // the sum over all pairs
  if (kind_ == Kind::sites) {
    count_states(row, out.first(states_.size() / width_));
    for (const double share : out.first(states_.size() / width_)) both += 0.5 * n * share * (n * share - 1.0);
  } else {
    double sum = 0.0, squares = 0.0;
    for (const Real x : row) {
      const double s = spin(x);
      sum += s;
      squares += s * s;
    }
    out[0] = sum / n;
    if (kind_ == Kind::numbers) out[1] = squares / n;
    both = 0.5 * (sum * sum - squares);
  }
  if (num_pairs_ > 0) out.back() = (all_pairs_ ? both : sum_of_pairs(row)) / static_cast<double>(num_pairs_);
}

void LayerObservables::evaluate(const Chains& chains, const Executor& executor, MatrixView<double> out) const {
  const ConstMatrixRef x = chains.real()[layer_];
  executor.for_each_piece(x.rows, 64, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      const std::span<double> own = out[r];
      measure(x[r], own.first(num_measured()));
      if (wave_number_) own[place_of_structure_factor()] = structure_factor(x[r], {});
      if (is_staggered()) own[place_of_staggered()] = staggered(x[r]);
      if (has_staggered_structure_factor()) own[place_of_staggered_structure_factor()] = structure_factor(x[r], signs_);
      correlate(x[r], own.last(distances_.size()));
    }
  });
}

double LayerObservables::overlap(const Chains& chains, Index one, Index other) const {
  const ConstMatrixRef x = chains.read(layer_);
  const std::span<const Real> a = x[one], b = x[other];
  double sum = 0.0;
  if (kind_ == Kind::sites) {
    for (Index c = 0; c < a.size(); c += width_)
      if (std::ranges::equal(a.subspan(c, width_), b.subspan(c, width_))) sum += 1.0;
    return sum / static_cast<double>(num_units_);
  }
  for (Index c = 0; c < a.size(); ++c) sum += spin(a[c]) * spin(b[c]);
  return sum / static_cast<double>(a.size());
}

double LayerObservables::joint_overlap(const Chains& chains, Index one, Index other) const {
  assert(kind_ == Kind::sites);
  const ConstMatrixRef x = chains.read(layer_);
  const std::span<const Real> a = x[one], b = x[other];
  const Index states = numbers_of_unit();
  std::vector<double> shares(states * states, 0.0);
  for (Index i = 0; i < num_units_; ++i)
    shares[state_of(a, i) * states + state_of(b, i)] += 1.0 / static_cast<double>(num_units_);
  double sum = 0.0;
  for (const double share : shares) sum += share * share;
  return sum;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
