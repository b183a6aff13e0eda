// Conditionals of single units with other layers summed out, from differences: changing a unit moves the fields of its
// neighbours by rows of W, so that one costs as much as a log partition of the summed layers and no matrix product.
#include <algorithm>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/models/pairwise.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void Pairwise::log_conditionals(const Layout&, LayerSet kept, double beta, ConstChainView x, LayerId layer,
                                std::span<const Index> units, MatrixView<double> out) const {
  if (!coupled_gaussians(without(kept)).empty()) {
    FreeEnergy::log_conditionals(layout_, kept, beta, x, layer, units, out);
    return;
  }
  const UnitType& unit = *layout_[layer].unit;
  const Index width = unit.width(), states = unit.num_states();
  std::vector<Real> values(states * width);
  unit.states({values.data(), states, width, width});
  const ConstMatrixRef own = x[layer];
  const std::vector<double> curvature = exact_precisions(layer);

  // Entry (i, j) of the coupling of `layer`'s column i with column j of another layer.
  const auto weight = [](ConstMatrixRef w, bool first, Index i, Index j) {
    return static_cast<double>(first ? w(i, j) : w(j, i));
  };
  // The part of a column's field that the kept layers give, itself excluded: L has zero diagonal.
  const auto kept_field = [&](Index r, Index column) {
    double field = static_cast<double>(bias(layer)[column]);
    for (const Coupling& c : couplings_) {
      if (c.a != layer && c.b != layer) continue;
      const LayerId other = c.a == layer ? c.b : c.a;
      if (!kept.contains(other)) continue;
      const ConstMatrixRef values_of_other = x[other];
      for (Index j = 0; j < values_of_other.cols; ++j)
        field += weight(tensor(c.block), c.a == layer, column, j) * static_cast<double>(values_of_other(r, j));
    }
    return field;
  };

  // Each summed layer: its field in row r, then a matrix of that field with each state of each unit.
  struct Neighbour {
    LayerId layer;
    std::vector<double> bias, field, moved;
    std::vector<std::pair<ConstMatrixRef, bool>> from_own;  ///< couplings to `layer`, and whether it comes first
  };
  std::vector<Neighbour> neighbours;
  for (const LayerId l : layout_.ids()) {
    if (kept.contains(l)) continue;
    const Index columns = layout_[l].columns();
    Neighbour n{l, {bias(l), bias(l) + columns}, std::vector<double>(columns), {}, {}};
    for (const Coupling& c : couplings_)
      if (!c.lateral() && ((c.a == layer && c.b == l) || (c.b == layer && c.a == l)))
        n.from_own.emplace_back(tensor(c.block), c.a == layer);
    if (!n.from_own.empty()) neighbours.push_back(std::move(n));
  }

  const Index rows_a_unit = states + 1;  // as it is, then each state
  const Index together = std::max<Index>(1, 256 / rows_a_unit);
  for (Index r = 0; r < x.rows(); ++r) {
    for (Neighbour& n : neighbours) {
      std::fill(n.field.begin(), n.field.end(), 0.0);
      for (const Coupling& c : couplings_) {
        if (c.lateral() || (c.a != n.layer && c.b != n.layer)) continue;
        const LayerId other = c.a == n.layer ? c.b : c.a;
        const ConstMatrixRef w = tensor(c.block), given = x[other];
        for (Index i = 0; i < given.cols; ++i) {
          const auto v = static_cast<double>(given(r, i));
          if (v == 0.0) continue;
          for (Index j = 0; j < n.field.size(); ++j) n.field[j] += v * weight(w, c.a == other, i, j);
        }
      }
    }
    for (Index first = 0; first < units.size(); first += together) {
      const Index count = std::min(together, units.size() - first), rows = count * rows_a_unit;
      std::vector<double> score(rows, 0.0);
      for (Index k = 0; k < count; ++k) {
        const Index at = units[first + k] * width;
        for (Index c = 0; c < width; ++c) {
          const double field = kept_field(r, at + c), gamma = curvature[at + c];
          const auto term = [&](double value) { return beta * (field * value - 0.5 * gamma * value * value); };
          score[k * rows_a_unit] += term(static_cast<double>(own(r, at + c)));
          for (Index s = 0; s < states; ++s)
            score[k * rows_a_unit + s + 1] += term(static_cast<double>(values[s * width + c]));
        }
      }
      for (Neighbour& n : neighbours) {
        const Index columns = n.field.size();
        n.moved.resize(rows * columns);
        for (Index k = 0; k < count; ++k) {
          const Index at = units[first + k] * width;
          for (Index s = 0; s < rows_a_unit; ++s) {
            double* moved = &n.moved[(k * rows_a_unit + s) * columns];
            std::copy(n.field.begin(), n.field.end(), moved);
            if (s == 0) continue;
            for (Index c = 0; c < width; ++c) {
              const double change = static_cast<double>(values[(s - 1) * width + c] - own(r, at + c));
              if (change == 0.0) continue;
              for (const auto& [w, own_first] : n.from_own)
                for (Index j = 0; j < columns; ++j) moved[j] += change * weight(w, own_first, at + c, j);
            }
          }
        }
        const std::vector<double> scale(rows, beta);
        BasicFields<const double> fields{{n.moved.data(), rows, columns, columns}};
        fields.bias = n.bias.data();
        fields.scale = scale.data();
        std::vector<double> gamma;
        if (layout_[n.layer].unit->has_curvature()) {
          gamma = exact_precisions(n.layer);
          fields.curvature = {gamma.data(), rows, columns, 0};
        }
        layout_[n.layer].unit->add_log_partition(fields, score);
      }
      for (Index k = 0; k < count; ++k) {
        const std::span<const double> of_unit = std::span(score).subspan(k * rows_a_unit, rows_a_unit);
        out(r, first + k) = of_unit[0] - logsumexp(of_unit.subspan(1));
      }
    }
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
