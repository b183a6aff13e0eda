#include <harmonium/framework/inference/flip_symmetry.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include <harmonium/framework/inference/state_permutations.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// c, about which the states of a unit of one column lie symmetrically. Averages take units of two states for spins, whatever the
/// two are; others are numbers, whose products a flip about another c than 0 would change.
std::optional<double> center_of(const UnitType& unit) {
  if (unit.width() != 1 || unit.num_states() == 0 || unit.has_base()) return {};
  const UnitStates states(unit);
  const Index last = states.size() - 1;
  const Real sum = states[0][0] + states[last][0];
  if (sum != Real(0) && states.size() != 2) return {};
  for (Index s = 0; s <= last; ++s)
    if (states[s][0] + states[last - s][0] != sum) return {};
  return 0.5 * static_cast<double>(sum);
}

/// The field of each column at x = c of all units, and the sizes of its terms.
class FieldsAtCenter {
 public:
  FieldsAtCenter(const EnergyModel& model, const PerLayer<double>& centers) : centers_(centers) {
    for (const Layer& layer : model.layout().layers()) {
      fields_.emplace_back(layer.columns(), 0.0);
      sizes_.emplace_back(layer.columns(), 0.0);
    }
    const ParameterLayout& parameters = model.parameter_layout();
    for (Index k = 0; k < parameters.blocks().size() && known_; ++k)
      add(parameters[k], parameters.view(k, model.parameters().data()));
  }
  /// False where there are tensors of another kind.
  bool known() const { return known_; }
  /// How far a flip may change an energy by what biases are rounded to; nothing where a field is more than that.
  std::optional<double> rounding() const {
    constexpr double of_terms = 4.0 * static_cast<double>(std::numeric_limits<Real>::epsilon());
    double all = 0.0;
    for (Index l = 0; l < fields_.size(); ++l)
      for (Index i = 0; i < fields_[l].size(); ++i) {
        if (!(std::abs(fields_[l][i]) <= of_terms * sizes_[l][i])) return {};
        if (centers_[LayerId(l)] != 0.0) all += of_terms * sizes_[l][i];
      }
    return all;
  }

 private:
  void add(LayerId layer, Index column, double term) {
    fields_[static_cast<Index>(layer)][column] += term;
    sizes_[static_cast<Index>(layer)][column] += std::abs(term);
  }
  void add(const ParameterBlock& block, ConstMatrixRef values) {
    const LayerId a = block.layers.empty() ? LayerId{0} : block.layers.front();
    const LayerId b = block.layers.empty() ? LayerId{0} : block.layers.back();
    const auto value = [&](Index i) { return static_cast<double>(values.data[i]); };
    known_ = !block.layers.empty() && (is_coupling(block) || is_curvature(block) || block.role == ParameterRole::bias);
    if (!known_) return;
    if (block.role == ParameterRole::edges) {
      for (const Edge& e : *block.edges) {
        add(a, e.a, value(e.entry) * centers_[a]);
        add(a, e.b, value(e.entry) * centers_[a]);
      }
    } else if (block.role == ParameterRole::coupling) {
      for (Index r = 0; r < block.rows; ++r)
        for (Index c = 0; c < block.cols; ++c) {
          add(a, r, static_cast<double>(values(r, c)) * centers_[b]);
          if (a != b) add(b, c, static_cast<double>(values(r, c)) * centers_[a]);
        }
    } else {
      for (Index i = 0; i < block.size(); ++i)
        add(a, i,
            is_curvature(block) ? -static_cast<double>(curvature_of(block.role, values.data[i])) * centers_[a]
                                : value(i));
    }
  }

  const PerLayer<double>& centers_;
  std::vector<std::vector<double>> fields_, sizes_;
  bool known_ = true;
};

bool is_even(const EnergyModel& model) {
  PerLayer<double> centers;
  for (const Layer& layer : model.layout().layers()) {
    const std::optional<double> center = center_of(*layer.unit);
    if (!center) return false;
    centers.push_back(*center);
  }
  const FieldsAtCenter fields(model, centers);
  const std::optional<double> rounding = fields.known() ? fields.rounding() : std::nullopt;
  const auto flip = [&](Chains& states) {
    for (const LayerId l : model.layout().ids()) {
      const MatrixRef x = states.write(l);
      for (Index r = 0; r < x.rows; ++r)
        for (Real& value : x[r]) value = static_cast<Real>(2.0 * centers[l]) - value;
    }
  };
  return rounding && keeps_energies(model, flip, *rounding);
}

/// Asked of two permutations, an exchange and a round, of which all others are made.
bool is_of_states_alike(const EnergyModel& model) {
  if (!treats_states_alike(model)) return false;
  std::vector<Index> exchange(model.layout().layers().front().unit->num_states());
  std::iota(exchange.begin(), exchange.end(), Index{0});
  std::vector<Index> round = exchange;
  std::swap(exchange[0], exchange[1]);
  std::rotate(round.begin(), round.begin() + 1, round.end());
  const auto keeps = [&](const std::vector<Index>& to) {
    return keeps_energies(model, [&](Chains& states) { permute_states(model.layout(), to, states); });
  };
  return keeps(exchange) && keeps(round);
}

}  // namespace

FlipSymmetry flip_symmetry_of(const EnergyModel& model) {
  return is_even(model) || is_of_states_alike(model) ? FlipSymmetry::exact : FlipSymmetry::none;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
