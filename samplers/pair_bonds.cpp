#include <harmonium/samplers/pair_bonds.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/pair_tables.hpp>
#include <harmonium/framework/inference/pairwise_factors.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Adds couplings to the bonds and tables, one after the other.
class BondMaker {
 public:
  BondMaker(PairBonds& to, const CountedUnits& units) : to_(to), units_(units) {}

  /// −b·x, or the ½ γ x² that some kinds of units have.
  void add_single(const ParameterBlock& block, ConstMatrixRef values) {
    const LayerId layer = block.layers.front();
    const UnitStates& states = units_.states[layer];
    const Index width = states.view().cols;
    for (Index u = 0; u < block.size() / width; ++u)
      for (Index s = 0; s < states.size(); ++s)
        for (Index c = 0; c < width; ++c)
          to_.single[units_.first_state[units_.first[layer] + u] + s] +=
              log_weight_of_single(block.role, values.data[u * width + c], static_cast<double>(states[s][c]));
  }

  /// −x_aᵀ W x_b, each pair once.
  void add_coupling(const ParameterBlock& block, ConstMatrixRef w) {
    const LayerId a = block.layers.front(), b = block.layers.back();
    const UnitStates &of_a = units_.states[a], &of_b = units_.states[b];
    const Index wide_a = of_a.view().cols, wide_b = of_b.view().cols;
    const bool numbers = wide_a == 1 && wide_b == 1;
    const std::vector<double> shared = numbers ? products_of_states(of_a, of_b) : std::vector<double>{};
    const Index shared_at = numbers ? keep(of_a, of_b, shared) : 0;
    std::vector<double> own;
    for (Index i = 0; i < block.rows / wide_a; ++i)
      for (Index j = a == b ? i + 1 : 0; j < block.cols / wide_b; ++j) {
        if (numbers) {
          const auto weight = static_cast<double>(w(i, j));  // of a graph nearly all are 0
          if (weight != 0.0) add_pair(units_.first[a] + i, units_.first[b] + j, shared, shared_at, weight);
        } else if (fill_pair_table(w, i * wide_a, j * wide_b, of_a, of_b, own)) {
          add_pair(units_.first[a] + i, units_.first[b] + j, own, keep(of_a, of_b, own), 1.0);
        }
      }
  }

  /// −Σ_e w_e x_iᵀ x_j.
  void add_edges(const ParameterBlock& block, ConstMatrixRef w) {
    const LayerId layer = block.layers.front();
    const UnitStates& states = units_.states[layer];
    const std::vector<double> shared = products_of_states(states, states);
    const Index at = keep(states, states, shared);
    for (const Edge& e : *block.edges)
      add_pair(units_.first[layer] + e.a, units_.first[layer] + e.b, shared, at, static_cast<double>(w.data[e.entry]));
  }

 private:
  /// Where the table stands among all; pairs of units of two states each need none.
  Index keep(const UnitStates& a, const UnitStates& b, const std::vector<double>& table) {
    const Index at = to_.tables.size();
    if (a.size() > 2 || b.size() > 2) to_.tables.insert(to_.tables.end(), table.begin(), table.end());
    return at;
  }

  void add_pair(Index a, Index b, const std::vector<double>& t, Index at, double scale) {
    if (scale == 0.0) return;
    const auto first = static_cast<std::uint32_t>(a), second = static_cast<std::uint32_t>(b);
    if (t.size() != 4 || units_.num_states(a) != 2) {
      to_.pairs.push_back({first, second, at, scale});
      return;
    }
    // t = c + f_a s_a + f_b s_b + J s_a s_b
    const double of_a = 0.25 * scale * (t[2] + t[3] - t[0] - t[1]), of_b = 0.25 * scale * (t[1] + t[3] - t[0] - t[2]);
    add_field(a, of_a);
    add_field(b, of_b);
    to_.bonds.push_back({first, second, 0.25 * scale * (t[0] + t[3] - t[1] - t[2])});
  }

  void add_field(Index unit, double field) {
    to_.single[units_.first_state[unit]] -= field;
    to_.single[units_.first_state[unit] + 1] += field;
  }

  PairBonds& to_;
  const CountedUnits& units_;
};

/// The first tensor that may be of more than two units; null where there is none.
const ParameterBlock* of_more_than_pairs(const ParameterLayout& parameters) {
  const auto& blocks = parameters.blocks();
  const auto found = std::ranges::find_if(blocks, [](const ParameterBlock& b) {
    return (b.role != ParameterRole::bias && !is_curvature(b) && !is_coupling(b)) || b.layers.empty();
  });
  return found == blocks.end() ? nullptr : &*found;
}

/// Whether energies are those of the bonds, but for a constant.
bool agrees(const EnergyModel& model) {
  const Layout& layout = model.layout();
  const CountedUnits units(layout);
  const PairBonds bonds(model, units);
  const std::vector<std::vector<std::uint32_t>> states = states_to_compare(layout);
  const Index rows = states.size();
  Chains x(layout, rows);
  std::vector<double> by_bonds, energy(rows);
  for (Index r = 0; r < rows; ++r) {
    write_states(layout, states[r], x, r);
    by_bonds.push_back(-bonds.log_weight(units, states[r]));
  }
  model.energy(x.real(), energy);
  double size = 1.0;
  for (Index r = 0; r < rows; ++r) size = std::max({size, std::abs(energy[r]), std::abs(by_bonds[r])});
  for (Index r = 1; r < rows; ++r)
    if (!(std::abs(energy[r] - energy[0] - by_bonds[r] + by_bonds[0]) <= 1e-6 * size)) return false;
  return true;
}

}  // namespace

CountedUnits::CountedUnits(const Layout& layout) : first_state{0} {
  for (const Layer& layer : layout.layers()) {
    first.push_back(size());
    states.emplace_back(*layer.unit);
    most_states = std::max(most_states, layer.unit->num_states());
    for (Index u = 0; u < layer.size; ++u) first_state.push_back(first_state.back() + layer.unit->num_states());
  }
}

PairBonds::PairBonds(const EnergyModel& model, const CountedUnits& units) : single(units.first_state.back(), 0.0) {
  BondMaker maker(*this, units);
  const ParameterLayout& parameters = model.parameter_layout();
  for (Index n = 0; n < parameters.blocks().size(); ++n) {
    const ParameterBlock& block = parameters[n];
    const ConstMatrixRef values = parameters.view(n, model.parameters().data());
    if (block.role == ParameterRole::coupling) maker.add_coupling(block, values);
    else if (block.role == ParameterRole::edges) maker.add_edges(block, values);
    else maker.add_single(block, values);
  }
}

double PairBonds::log_weight(const CountedUnits& units, std::span<const std::uint32_t> states) const {
  double sum = 0.0;
  for (Index u = 0; u < units.size(); ++u) sum += single[units.first_state[u] + states[u]];
  for (const Bond& bond : bonds) sum += states[bond.a] == states[bond.b] ? bond.coupling : -bond.coupling;
  for (const Table& pair : pairs)
    sum += pair.scale * tables[pair.at + states[pair.a] * units.num_states(pair.b) + states[pair.b]];
  return sum;
}

void check_pair_bonds(const EnergyModel& model, const char* who) {
  for (const Layer& layer : model.layout().layers())
    if (layer.unit->num_states() == 0 || layer.unit->has_base())
      throw CapabilityError(fmt::format(
          "{}: the units of layer '{}' are {}, and clusters are of units of a few states each. Try 'gibbs'.", who,
          layer.name, layer.unit->name()));
  if (const ParameterBlock* block = of_more_than_pairs(model.parameter_layout()))
    throw CapabilityError(fmt::format(
        "{}: the tensor '{}' may join more than two units, and a bond joins two. Try 'gibbs'.", who, block->name));
  if (!agrees(model))
    throw CapabilityError(
        fmt::format("{}: the energy is no sum over units and pairs of units, and a bond joins two. Try 'gibbs'.", who));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
