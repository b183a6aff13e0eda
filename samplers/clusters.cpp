#include <harmonium/samplers/clusters.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

ClusterRows::ClusterRows(const ClusterPlan& plan)
    : plan_(plan),
      rows_(lanes),
      words_(lanes * words_at_once),
      order_(plan.units.most_states),
      partners_(plan.units.most_states) {
  const Index n = plan.units.size();
  for (Row& row : rows_) {
    for (auto* numbers : {&row.state, &row.partner, &row.parent}) numbers->resize(n);
    row.spin.resize(n);
    for (auto* numbers : {&row.field, &row.total}) numbers->resize(plan.recolors() ? plan.units.first_state.back() : n);
    for (auto* flags : {&row.held, &row.moving, &row.goes}) flags->resize(n);
  }
}

std::uint32_t ClusterRows::Row::find(std::uint32_t unit) {
  while (parent[unit] != unit) unit = parent[unit] = parent[parent[unit]];
  return unit;
}

void ClusterRows::Row::join(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t of_a = find(a), of_b = find(b);
  parent[std::max(of_a, of_b)] = std::min(of_a, of_b);
}

void ClusterRows::move(Chains& chains, Index begin, Index end, Index steps) {
  const auto chain = static_cast<std::uint32_t>(chains.first_chain() + begin);
  const auto block = [&](Index s) { return DrawBlock::of(plan_.random, chain, chains.step() + s, LayerId{0}); };
  for (Index r = begin; r < end; ++r) read(chains, r, block(0), r - begin);
  for (Index s = 0; s < steps; ++s) step(block(s), end - begin);
  for (Index r = begin; r < end; ++r) write(chains, r, rows_[r - begin]);
}

void ClusterRows::read(const Chains& chains, Index r, const DrawBlock& block, Index number) {
  const Layout& layout = plan_.target.model.layout();
  const HeldMask* mask = plan_.target.held;
  Row& row = rows_[number];
  row.at = &plan_.at(chains.rung()[r]);
  for (const LayerId l : layout.ids()) {
    const UnitStates& states = plan_.units.states[l];
    const Index width = states.view().cols, first = plan_.units.first[l];
    const auto bytes = mask ? mask->units(l, r, r + 1) : MatrixView<const std::uint8_t>{};
    const Real* value = chains.read(l).row(r);
    for (Index u = first; u < first + layout[l].size; ++u, value += width) {
      const bool held = (mask && mask->holds(l)) || (!bytes.empty() && bytes(0, u - first));
      Index state = states.find({value, width});
      double spin = state == 1 ? 1.0 : -1.0;
      if (state == states.size()) {  // a gray value of the data
        const double uniform = uniform_f64(block.word(number, static_cast<std::uint32_t>(u), start_draw));
        if (states.size() == 2 && width == 1) {
          const auto low = static_cast<double>(states[0][0]), high = static_cast<double>(states[1][0]);
          spin = (2.0 * static_cast<double>(*value) - low - high) / (high - low);
          state = uniform < 0.5 * (1.0 + spin) ? 1 : 0;
          if (!held) spin = state == 1 ? 1.0 : -1.0;
        } else if (held) {
          throw CapabilityError(
              fmt::format("sampler 'swendsen_wang': a unit of layer '{}' is held at a value that is none of its {} "
                          "states. Hold it at one of them, or take 'gibbs'.",
                          layout[l].name, states.size()));
        } else {
          state = std::min(static_cast<Index>(uniform * static_cast<double>(states.size())), states.size() - 1);
        }
      }
      row.state[u] = static_cast<std::uint32_t>(state);
      row.partner[u] = states.size() == 2 ? 1 - row.state[u] : row.state[u];
      row.spin[u] = spin;
      row.held[u] = held ? 1 : 0;
      row.moving[u] = !held && states.size() == 2 ? 1 : 0;
    }
  }
}

void ClusterRows::write(Chains& chains, Index r, const Row& row) const {
  const Layout& layout = plan_.target.model.layout();
  for (const LayerId l : layout.ids()) {
    const UnitStates& states = plan_.units.states[l];
    Real* to = chains.write(l).row(r);
    for (Index u = plan_.units.first[l]; u < plan_.units.first[l] + layout[l].size; ++u, to += states.view().cols)
      if (!row.held[u]) std::ranges::copy(states[row.state[u]], to);
  }
}

void ClusterRows::step(const DrawBlock& block, Index count) {
  if (plan_.recolors()) return recolor(block, count);
  for (Index k = 0; k < count; ++k) {
    if (plan_.units.any_of_several()) pair_states(rows_[k], block, k);
    begin(rows_[k]);
  }
  for (Index p = 0; p < plan_.parts.size(); ++p) {
    const auto draw = static_cast<std::uint32_t>(pairs_draw + 2 * p);
    with_words(
        block, count, draw, plan_.parts[p].bonds.size(),
        [&](Row& row, Index first, Index n, const std::uint32_t* words) { join_bonds(row, p, first, n, words); });
    with_words(
        block, count, draw + 1, plan_.parts[p].pairs.size(),
        [&](Row& row, Index first, Index n, const std::uint32_t* words) { join_pairs(row, p, first, n, words); });
  }
  const Index units = plan_.units.size();
  if (plan_.fields == ClusterFields::sum)
    for (Index k = 0; k < count; ++k) add_totals(rows_[k], 0, units, nullptr);
  else
    with_words(block, count, ghost_draw, units,
               [&](Row& row, Index first, Index n, const std::uint32_t* words) { add_totals(row, first, n, words); });
  with_words(block, count, turn_draw, units,
             [&](Row& row, Index first, Index n, const std::uint32_t* words) { turn(row, first, n, words); });
}

/// One permutation of the states for all units of as many: those at its places 0 and 1 are partners, those at 2 and 3, and so on.
void ClusterRows::pair_states(Row& row, const DrawBlock& block, Index number) {
  const Layout& layout = plan_.target.model.layout();
  for (const LayerId l : layout.ids()) {
    const Index q = plan_.units.states[l].size();
    if (q <= 2) continue;
    const auto order = order_.begin();
    std::iota(order, order + static_cast<std::ptrdiff_t>(q), 0u);
    for (Index i = q - 1; i > 0; --i) {
      const double uniform = uniform_f64(block.word(number, static_cast<std::uint32_t>(i), order_draw));
      std::swap(order_[i], order_[std::min(static_cast<Index>(uniform * static_cast<double>(i + 1)), i)]);
    }
    for (Index i = 0; i < q; ++i) partners_[order_[i]] = order_[std::min(i ^ 1u, q - 1)];
    for (Index u = plan_.units.first[l]; u < plan_.units.first[l] + layout[l].size; ++u) {
      if (row.held[u]) continue;
      row.partner[u] = partners_[row.state[u]];
      row.moving[u] = row.partner[u] != row.state[u] ? 1 : 0;
    }
  }
}

void ClusterRows::begin(Row& row) const {
  std::iota(row.parent.begin(), row.parent.end(), 0u);
  for (Index u = 0; u < row.field.size(); ++u) {
    const double* g = &row.at->single[plan_.units.first_state[u]];
    row.field[u] = row.moving[u] ? 0.5 * (g[row.state[u]] - g[row.partner[u]]) : 0.0;
  }
}

void ClusterRows::join_bonds(Row& row, Index part, Index first, Index count, const std::uint32_t* words) const {
  const PairBonds::Bond* bonds = &plan_.parts[part].bonds[first];
  const std::uint32_t* thresholds = &row.at->thresholds[part][first];
  const double factor = row.at->factors[part];
  for (Index i = 0; i < count; ++i) {
    const auto [a, b, coupling] = bonds[i];
    const double agreement = coupling * row.spin[a] * row.spin[b];
    if (row.moving[a] && row.moving[b]) {
      if (agreement > 0.0 && words[i] < thresholds[i]) row.join(a, b);
    } else if (row.moving[a]) {
      row.field[a] += factor * agreement;
    } else if (row.moving[b]) {
      row.field[b] += factor * agreement;
    }
  }
}

void ClusterRows::join_pairs(Row& row, Index part, Index first, Index count, const std::uint32_t* words) const {
  const PairBonds& of = plan_.parts[part];
  for (Index i = 0; i < count; ++i) {
    const PairBonds::Table& pair = of.pairs[first + i];
    const std::uint32_t a = pair.a, b = pair.b;
    if (!row.moving[a] && !row.moving[b]) continue;
    const double* t = &of.tables[pair.at];
    const Index q = plan_.units.num_states(b);
    const double w = row.at->factors[part] * pair.scale;
    const std::uint32_t xa = row.state[a], ya = row.partner[a], xb = row.state[b], yb = row.partner[b];
    if (row.moving[a] && row.moving[b]) {
      const double xx = t[xa * q + xb], xy = t[xa * q + yb], yx = t[ya * q + xb], yy = t[ya * q + yb];
      row.field[a] += 0.25 * w * (xx + xy - yx - yy);
      row.field[b] += 0.25 * w * (xx + yx - xy - yy);
      const double coupling = 0.25 * w * (xx + yy - xy - yx);
      if (coupling > 0.0 && uniform_f64(words[i]) < -std::expm1(-2.0 * coupling)) row.join(a, b);
      continue;
    }
    // A unit of two states that stays may be held between them.
    const auto stays = [&](std::uint32_t unit, double low, double high) {
      return 0.5 * ((1.0 - row.spin[unit]) * low + (1.0 + row.spin[unit]) * high);
    };
    if (row.moving[a]) {
      const auto value = [&](Index s) { return q == 2 ? stays(b, t[s * q], t[s * q + 1]) : t[s * q + xb]; };
      row.field[a] += 0.5 * w * (value(xa) - value(ya));
    } else {
      const bool two = plan_.units.num_states(a) == 2;
      const auto value = [&](Index s) { return two ? stays(a, t[s], t[q + s]) : t[xa * q + s]; };
      row.field[b] += 0.5 * w * (value(xb) - value(yb));
    }
  }
}

/// Parents are roots afterwards: a parent comes before its units. A bond to the ghost is a field without end.
void ClusterRows::add_totals(Row& row, Index first, Index count, const std::uint32_t* words) const {
  for (Index u = first; u < first + count; ++u) {
    const std::uint32_t root = row.parent[u] = row.parent[row.parent[u]];
    if (root == u) row.total[u] = 0.0;
    if (!words) row.total[root] += row.field[u];
    else if (row.field[u] > 0.0 && uniform_f64(words[u - first]) < -std::expm1(-2.0 * row.field[u]))
      row.total[root] = std::numeric_limits<double>::infinity();
  }
}

void ClusterRows::turn(Row& row, Index first, Index count, const std::uint32_t* words) const {
  for (Index u = first; u < first + count; ++u) {
    const std::uint32_t root = row.parent[u];
    if (root == u) row.goes[u] = uniform_f64(words[u - first]) < 1.0 / (1.0 + std::exp(2.0 * row.total[u])) ? 1 : 0;
    if (!row.goes[root] || !row.moving[u]) continue;
    std::swap(row.state[u], row.partner[u]);
    row.spin[u] = -row.spin[u];
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
