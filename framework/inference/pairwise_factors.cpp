#include <harmonium/framework/inference/pairwise_factors.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/pair_tables.hpp>
#include <harmonium/framework/model/domain.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The number of the first unit of each layer, and of all units.
struct Numbering {
  PerLayer<Index> first;
  Index total = 0;

  explicit Numbering(const Layout& layout) {
    for (const Layer& layer : layout.layers()) {
      first.push_back(total);
      total += layer.size;
    }
  }
};

[[noreturn]] void refuse_endless(const Layer& layer) {
  throw CapabilityError("the units of layer '" + layer.name + "' have no finite list of states. Take 'ais'.");
}

/// These, and the states of each layer's kind; none of normal units.
struct Units : Numbering {
  std::vector<std::optional<UnitStates>> states;

  explicit Units(const Layout& layout) : Numbering(layout) {
    for (const Layer& layer : layout.layers()) {
      const bool continuous = layer.unit->num_states() == 0;
      if (continuous && !is_normal(*layer.unit)) refuse_endless(layer);
      states.push_back(continuous ? std::nullopt : std::optional<UnitStates>(std::in_place, *layer.unit));
    }
  }
  bool has_states(LayerId layer) const { return states[static_cast<Index>(layer)].has_value(); }
  const UnitStates& of(LayerId layer) const { return *states[static_cast<Index>(layer)]; }
};

double as_double(Real x) { return static_cast<double>(x); }

/// −b·x, or the ½ γ x² that some kinds of units have.
void add_single(const ParameterBlock& block, ConstMatrixRef values, const Units& units, PairwiseFactors& factors) {
  const LayerId layer = block.layers[0];
  const UnitStates& states = units.of(layer);
  const Index width = states.view().cols;
  for (Index u = 0; u < block.size() / width; ++u)
    for (Index s = 0; s < states.size(); ++s)
      for (Index c = 0; c < width; ++c)
        factors.single[units.first[layer] + u][s] -=
            log_weight_of_single(block.role, values.data[u * width + c], as_double(states[s][c]));
}

/// −x_aᵀ W x_b, each pair once.
void add_coupling(const ParameterBlock& block, ConstMatrixRef w, const Units& units, PairwiseFactors& factors) {
  const LayerId a = block.layers.front(), b = block.layers.back();
  const UnitStates &of_a = units.of(a), &of_b = units.of(b);
  const Index wide_a = of_a.view().cols, wide_b = of_b.view().cols;
  std::vector<double> table;
  for (Index i = 0; i < block.rows / wide_a; ++i)
    for (Index j = a == b ? i + 1 : 0; j < block.cols / wide_b; ++j) {
      if (!fill_pair_table(w, i * wide_a, j * wide_b, of_a, of_b, table)) continue;
      std::ranges::transform(table, table.begin(), [](double product) { return 0.0 - product; });
      factors.pairs.push_back({{units.first[a] + i, units.first[b] + j}, table});
    }
}

/// −Σ_e w_e x_iᵀ x_j.
void add_edges(const ParameterBlock& block, ConstMatrixRef w, const Units& units, PairwiseFactors& factors) {
  const LayerId layer = block.layers[0];
  const std::vector<double> products = products_of_states(units.of(layer), units.of(layer));
  for (const Edge& e : *block.edges) {
    const double weight = as_double(w.data[e.entry]);
    if (weight == 0.0) continue;
    PairwiseFactors::Pair pair{{units.first[layer] + e.a, units.first[layer] + e.b}, products};
    std::ranges::transform(pair.energy, pair.energy.begin(), [&](double product) { return -weight * product; });
    factors.pairs.push_back(std::move(pair));
  }
}

/// −c²/(2γ) of a normal unit, c = b + Σ_u f_u(x_u): −b²/(2γ), −(b f_u + ½ f_u²)/γ of each unit and −f_u f_v/γ of each pair.
void add_normal(const NormalUnits::Unit& normal, const Layout& layout, const Units& units, PairwiseFactors& factors,
                std::map<std::array<Index, 2>, std::vector<double>>& pairs) {
  std::map<Index, std::vector<double>> fields;  // f_u of each state
  for (const NormalUnits::Partner& p : normal.partners) {
    const UnitStates& states = units.of(p.layer);
    const Index width = layout[p.layer].unit->width();
    std::vector<double>& f = fields[units.first[p.layer] + p.column / width];
    f.resize(states.size(), 0.0);
    for (Index s = 0; s < states.size(); ++s) f[s] += p.weight * as_double(states[s][p.column % width]);
  }
  for (const auto& [u, f] : fields)
    for (Index s = 0; s < f.size(); ++s)
      factors.single[u][s] -= (normal.bias * f[s] + 0.5 * f[s] * f[s]) / normal.precision;
  for (auto one = fields.begin(); one != fields.end(); ++one)
    for (auto other = std::next(one); other != fields.end(); ++other) {
      std::vector<double>& energy = pairs[{one->first, other->first}];
      energy.resize(one->second.size() * other->second.size(), 0.0);
      auto entry = energy.begin();
      for (const double f : one->second)
        for (const double g : other->second) *entry++ -= f * g / normal.precision;
    }
}

void add_all_normal(const Layout& layout, const Units& units, PairwiseFactors& factors) {
  std::map<std::array<Index, 2>, std::vector<double>> pairs;
  for (const NormalUnits::Unit& unit : factors.normal.units()) add_normal(unit, layout, units, factors, pairs);
  for (auto& [pair, energy] : pairs) factors.pairs.push_back({pair, std::move(energy)});
}

/// c, and whether the model's energies are the factors'.
void compare(const EnergyModel& model, PairwiseFactors& factors) {
  const std::vector<std::vector<std::uint32_t>> states = states_to_compare(model.layout());
  const Index rows = states.size();
  Chains x(model.layout(), rows);
  for (Index r = 0; r < rows; ++r) write_states(model.layout(), states[r], x, r);
  factors.normal.put_means(x);
  std::vector<double> energy(rows);
  model.energy(x.real(), energy);
  factors.constant = energy[0] - factors.energy(states[0]);
  double size = 1.0;
  for (const double e : energy) size = std::max(size, std::abs(e));
  for (Index r = 1; r < rows; ++r)
    if (!(std::abs(factors.energy(states[r]) - energy[r]) <= 1e-6 * size))
      throw CapabilityError("its energy is no sum over units and pairs of units. Take 'ais'.");
}

}  // namespace

PairwiseFactors PairwiseFactors::of(const EnergyModel& model) {
  const Layout& layout = model.layout();
  const Units units(layout);
  PairwiseFactors factors;
  std::optional<NormalUnits> normal = NormalUnits::of(model);
  for (const LayerId l : layout.ids())
    if (!normal && !units.has_states(l)) refuse_endless(layout[l]);
  if (normal) factors.normal = std::move(*normal);
  for (const LayerId l : layout.ids())
    for (Index u = 0; u < layout[l].size; ++u)
      factors.single.emplace_back(units.has_states(l) ? layout[l].unit->num_states() : 1, 0.0);
  const ParameterLayout& parameters = model.parameter_layout();
  for (Index i = 0; i < parameters.blocks().size(); ++i) {
    const ParameterBlock& b = parameters[i];
    const ConstMatrixRef values = parameters.view(i, model.parameters().data());
    if (std::ranges::any_of(b.layers, [&](LayerId l) { return !units.has_states(l); })) continue;  // below
    if (b.role == ParameterRole::bias || is_curvature(b)) add_single(b, values, units, factors);
    else if (b.role == ParameterRole::coupling) add_coupling(b, values, units, factors);
    else if (b.role == ParameterRole::edges) add_edges(b, values, units, factors);
    else throw CapabilityError("the tensor '" + b.name + "' may join more than two units. Take 'ais'.");
  }
  add_all_normal(layout, units, factors);
  compare(model, factors);
  return factors;
}

void PairwiseFactors::hold(const std::vector<std::optional<Index>>& held) {
  std::vector<Pair> free;
  for (Pair& p : pairs) {
    const auto [i, j] = p.units;
    const Index num_states = single[j].size();
    if (held[i])
      for (Index t = 0; t < num_states; ++t) single[j][t] += p.energy[*held[i] * num_states + t];
    else if (held[j])
      for (Index s = 0; s < single[i].size(); ++s) single[i][s] += p.energy[s * num_states + *held[j]];
    else free.push_back(std::move(p));
  }
  pairs = std::move(free);
  for (Index u = 0; u < size(); ++u)
    if (held[u]) single[u] = {single[u].at(*held[u])};
}

double PairwiseFactors::energy(std::span<const std::uint32_t> states) const {
  double e = constant;
  for (Index i = 0; i < size(); ++i) e += single[i][states[i]];
  for (const Pair& p : pairs) e += p.energy[states[p.units[0]] * single[p.units[1]].size() + states[p.units[1]]];
  return e;
}

void write_states(const Layout& layout, std::span<const std::uint32_t> states, Chains& x, Index row) {
  auto state = states.begin();
  for (const LayerId l : layout.ids()) {
    if (layout[l].unit->num_states() == 0) {
      state += static_cast<std::ptrdiff_t>(layout[l].size);
      continue;
    }
    const UnitStates own(*layout[l].unit);
    Real* to = x.write(l).row(row);
    for (Index u = 0; u < layout[l].size; ++u) to = std::ranges::copy(own[*state++], to).out;
  }
}

std::vector<std::optional<Index>> numbers_of_held(const Layout& layout, const HeldState& held) {
  std::vector<std::optional<Index>> numbers;
  for (const LayerId l : layout.ids()) {
    if (layout[l].unit->num_states() == 0) {
      for (Index u = 0; u < layout[l].size; ++u)
        if (held.holds(l, u)) refuse_endless(layout[l]);
      numbers.insert(numbers.end(), layout[l].size, std::nullopt);
      continue;
    }
    const UnitStates states(*layout[l].unit);
    const ConstMatrixRef x = held.state.read(l);
    const Index width = layout[l].unit->width();
    for (Index u = 0; u < layout[l].size; ++u)
      numbers.push_back(held.holds(l, u) ? std::optional(states.find({x.row(0) + u * width, width})) : std::nullopt);
  }
  return numbers;
}

std::vector<std::vector<Index>> coupling_graph(const EnergyModel& model, Couplings which) {
  const Layout& layout = model.layout();
  const Numbering units(layout);
  std::vector<std::vector<Index>> neighbors(units.total);
  const ParameterLayout& parameters = model.parameter_layout();
  for (Index n = 0; n < parameters.blocks().size(); ++n) {
    const ParameterBlock& b = parameters[n];
    if (!is_coupling(b) || b.layers.empty()) continue;
    const LayerId rows = b.layers.front(), cols = b.layers.back();
    const auto join = [&](Index u, Index v) {
      neighbors[units.first[rows] + u].push_back(units.first[cols] + v);
      neighbors[units.first[cols] + v].push_back(units.first[rows] + u);
    };
    const ConstMatrixRef w = parameters.view(n, model.parameters().data());
    const auto counts = [&](Index entry) {
      return which == Couplings::not_zero ? w.data[entry] != 0 : !b.mask || (*b.mask)[entry] != 0;
    };
    if (b.edges) {
      for (const Edge& e : *b.edges)
        if (counts(e.entry)) join(e.a, e.b);
      continue;
    }
    const Index wide = layout[rows].unit->width(), broad = layout[cols].unit->width();
    const bool lateral = b.symmetry == Symmetry::symmetric_zero_diagonal;  // each pair stands in it twice
    for (Index r = 0; r < b.rows; ++r)
      for (Index c = lateral ? (r / wide + 1) * wide : 0; c < b.cols; ++c)
        if (counts(r * b.cols + c) && (rows != cols || r / wide != c / broad)) join(r / wide, c / broad);
  }
  for (auto& own : neighbors) {
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
  }
  return neighbors;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
