#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/model_checks.hpp>
#include <harmonium/framework/testing/model_states.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// Some layers that are kept, and of each state the number of the part that they are of it, all other units at 0.
struct KeptPart {
  LayerSet layers;
  std::string names;
  std::vector<std::size_t> of_state;
};

std::vector<Index> all_units(const Layer& layer) {
  std::vector<Index> units(layer.size);
  std::iota(units.begin(), units.end(), Index{0});
  return units;
}

class FreeEnergyCheck {
 public:
  FreeEnergyCheck(const ModelSubject& m, const FreeEnergy& free)
      : m_(m),
        free_(free),
        layout_(m.model.layout()),
        states_(m),
        energy_(model_energies(m.model, states_.space)),
        rows_(states_.space.rows()) {}

  void run() {
    for (unsigned bits = 0; bits < 1u << std::min<Index>(layout_.size(), 5); ++bits) {
      const KeptPart kept = kept_part(bits);
      if (!free_.closed(kept.layers)) continue;
      for (const double beta : {1.0, 0.5}) {
        const std::vector<double> sums = compare_values(kept, beta);
        if (beta == 1.0) compare_conditionals(kept, sums);
        compare_neighbors(kept, beta);
      }
      compare_gradient(kept);
    }
    m_.report.judge("free energy against sums over states", values_.complaint("minus the log of the sum over states"),
                    values_.summary());
    m_.report.judge("gradient of the free energy",
                    gradients_.complaint("the mean of the energy's gradient over states"), gradients_.summary());
    if (neighbors_.count() > 0)
      m_.report.judge("neighbors of a row against the free energy itself",
                      neighbors_.complaint("every neighbor evaluated as a row"), neighbors_.summary());
    if (conditionals_.count() > 0)
      m_.report.judge("conditionals of single units", conditionals_.complaint("from the sums over states"),
                      conditionals_.summary());
  }

 private:
  /// The layers whose bits are set.
  KeptPart kept_part(unsigned bits) const {
    KeptPart kept;
    for (const LayerId l : layout_.ids())
      if ((bits >> static_cast<unsigned>(l)) & 1u) {
        kept.layers.add(l);
        kept.names += (kept.names.empty() ? "" : ", ") + layout_[l].name;
      }
    const StateSpace& space = states_.space;
    kept.of_state.assign(space.size(), 0);
    for (std::size_t s = 0; s < space.size(); ++s)
      for (std::size_t u = 0; u < space.num_units(); ++u)
        if (kept.layers.contains(space.layer_of(u))) kept.of_state[s] += space.digit(s, u) * space.stride(u);
    return kept;
  }

  /// The sums of exp(−beta E) over the states of each part, by its number, each beside the lowest energy.
  std::vector<double> compare_values(const KeptPart& kept, double beta) {
    const std::size_t num = energy_.size();
    std::vector<double> sums(num, 0.0), told(num);
    const double min = *std::min_element(energy_.begin(), energy_.end());
    for (std::size_t s = 0; s < num; ++s) sums[kept.of_state[s]] += std::exp(beta * (min - energy_[s]));
    free_.evaluate(kept.layers, beta, rows_, told);
    for (std::size_t s = 0; s < num; ++s)
      values_.compare(told[s], beta * min - std::log(sums[kept.of_state[s]]),
                      1e-15 * m_.scale * 64.0 + (sizeof(Real) == 4 ? ModelSubject::epsilon * m_.scale : 0.0), [&] {
                        return fmt::format("free energy with layers [{}] kept, beta {}, state {}", kept.names, beta, s);
                      });
    return sums;
  }

  /// At a state in the middle.
  void compare_gradient(const KeptPart& kept) {
    const std::size_t state = energy_.size() / 3;
    std::vector<double> law(energy_.size(), 0.0);
    double total = 0.0;
    for (std::size_t s = 0; s < law.size(); ++s)
      if (kept.of_state[s] == kept.of_state[state]) total += law[s] = std::exp(energy_[state] - energy_[s]);
    for (double& p : law) p /= total;
    const double one = 1.0;
    std::vector<Real> told(m_.model.parameters().size(), Real{0});
    free_.add_gradient(kept.layers, {rows_, state, state + 1}, {&one, 1}, told, m_.executor);
    states_.compare_gradients(gradients_, told, states_.gradient(law), fmt::format("layers [{}] kept, ", kept.names));
  }

  /// What the model knows of a row's neighbors by differences, against the defaults, which evaluate each as a row.
  void compare_neighbors(const KeptPart& kept, double beta) {
    const Index first = rows_.size() / 3, rows = std::min<Index>(rows_.size() - first, 5);
    const ConstChainView x(rows_, first, first + rows);
    for (const LayerId l : layout_.ids()) {
      const Index states_of_unit = layout_[l].unit->num_states(), columns = layout_[l].size * states_of_unit;
      if (!kept.layers.contains(l) || states_of_unit == 0) continue;
      const std::vector<Index> units = all_units(layout_[l]);
      std::vector<double> told(rows * columns), plain(rows * columns);
      free_.log_ratios(layout_, kept.layers, beta, x, l, units, {told.data(), rows, columns, columns});
      free_.FreeEnergy::log_ratios(layout_, kept.layers, beta, x, l, units, {plain.data(), rows, columns, columns});
      for (Index i = 0; i < told.size(); ++i)
        neighbors_.compare(told[i], plain[i], m_.rounding(64.0), [&] {
          return fmt::format("log ratio of row {}, {}, state {}", first + i / columns,
                             m_.unit_name(l, i % columns / states_of_unit), i % states_of_unit);
        });
      if (beta == 1.0) compare_neighbor_gradient(kept, l, x, columns);
    }
  }

  void compare_neighbor_gradient(const KeptPart& kept, LayerId layer, const ConstChainView& x, Index columns) {
    const Index rows = x.rows();
    const std::vector<double> weights = random_weights(rows * columns, 17);
    const MatrixView<const double> of_neighbors{weights.data(), rows, columns, columns};
    std::vector<Real> sum(m_.model.parameters().size(), Real{0}), plain_sum = sum;
    free_.add_neighbor_gradient(layout_, kept.layers, x, layer, of_neighbors, sum, m_.executor);
    free_.FreeEnergy::add_neighbor_gradient(layout_, kept.layers, x, layer, of_neighbors, plain_sum, m_.executor);
    for (Index k = 0; k < sum.size(); ++k)
      neighbors_.compare(static_cast<double>(sum[k]), static_cast<double>(plain_sum[k]),
                         ModelSubject::epsilon * (256.0 + m_.scale) * static_cast<double>(rows * columns), [&] {
                           return fmt::format("gradient over the neighbors in layer '{}', {}", layout_[layer].name,
                                              m_.entry_name(k));
                         });
  }

  void compare_conditionals(const KeptPart& kept, const std::vector<double>& sums) {
    const StateSpace& space = states_.space;
    const Index rows = std::min<Index>(space.size(), 64);
    for (const LayerId l : layout_.ids()) {
      if (!kept.layers.contains(l)) continue;
      const std::vector<Index> units = all_units(layout_[l]);
      std::vector<double> told(rows * units.size());
      free_.log_conditionals(layout_, kept.layers, 1.0, {rows_, 0, rows}, l, units,
                             {told.data(), rows, units.size(), units.size()});
      for (std::size_t u = 0; u < space.num_units(); ++u) {
        if (space.layer_of(u) != l) continue;
        for (Index r = 0; r < rows; ++r) {
          double total = 0.0;
          for (std::size_t k = 0; k < space.states_of(u); ++k)
            total += sums[kept.of_state[r - space.digit(r, u) * space.stride(u) + k * space.stride(u)]];
          conditionals_.compare(told[r * units.size() + space.place_of(u)], std::log(sums[kept.of_state[r]] / total),
                                m_.rounding(64.0), [&] {
                                  return fmt::format("log p of {} given the other units of [{}], state {}",
                                                     m_.unit_name(l, space.place_of(u)), kept.names, r);
                                });
        }
      }
    }
  }

  const ModelSubject& m_;
  const FreeEnergy& free_;
  const Layout& layout_;
  ModelStates states_;
  std::vector<double> energy_;  ///< of each state
  Chains rows_;                 ///< one a state
  Comparisons values_, gradients_, conditionals_, neighbors_;
};

}  // namespace

void check_free_energy(const ModelSubject& m, const FreeEnergy& free) { FreeEnergyCheck(m, free).run(); }

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
