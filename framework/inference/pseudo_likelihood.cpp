#include <harmonium/framework/inference/pseudo_likelihood.hpp>

#include <algorithm>
#include <numeric>
#include <optional>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/execution/deal.hpp>
#include <harmonium/framework/inference/conditionals_at_means.hpp>
#include <harmonium/framework/inference/evaluation.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index rows_of_a_deal_piece = 64;

double sum_of_terms(std::span<const double> x) { return std::accumulate(x.begin(), x.end(), 0.0); }

/// log p(x_u | the other observed units) of each row and unit of `units`.
Matrix<double> terms_of(const EnergyModel& model, double beta, ConstChainView x, LayerId layer,
                        std::span<const Index> units) {
  Matrix<double> terms = zeros<double>(x.rows(), units.size());
  if (units.empty()) return terms;
  const Layout& layout = model.layout();
  model.free_energy()->log_conditionals(layout, layout.observed(), beta, x, layer, units, as_matrix(terms));
  return terms;
}

std::vector<Index> units_of_layer(const Layer& layer) {
  std::vector<Index> units(layer.size);
  std::iota(units.begin(), units.end(), Index{0});
  return units;
}

/// As few groups as leave each row at most `units_a_row` units of a layer, but two rows of each at least.
Index groups_for(const Layout& layout, Index num_rows, Index units_a_row) {
  Index groups = 1;
  if (units_a_row > 0)
    for (const LayerId l : layout.ids(layout.observed()))
      groups = std::max(groups, (layout[l].size + units_a_row - 1) / units_a_row);
  return std::max(Index{1}, std::min(groups, num_rows / 2));
}

/// Rows and units, dealt into groups.
class DealtTerms {
 public:
  DealtTerms(const EnergyModel& model, const Chains& rows, double beta, Index units_a_row, Index num_groups,
             const RandomSource& random)
      : model_(model), x_(rows.real()), beta_(beta), at_means_(offers_conditionals_at_means(model)) {
    const Layout& layout = model.layout();
    const Deal of_rows(rows.size(), num_groups, random.child("rows").key(0));
    for (Index g = 0; g < num_groups; ++g) {
      groups_.push_back({of_rows.group(g), PerLayer<std::vector<Index>>(layout.size())});
      for (Index first = 0; first < groups_[g].rows.size(); first += rows_of_a_deal_piece)
        pieces_.emplace_back(g, first);
    }
    for (const LayerId l : layout.ids(layout.observed())) {
      if (layout[l].size <= units_a_row) continue;
      const Deal of_units(layout[l].size, num_groups, random.child("units").child(layout[l].name).key(0));
      for (Index g = 0; g < num_groups; ++g) groups_[g].units[l] = of_units.group(g);
      dealt_.add(l);
    }
  }

  /// What each row adds to the mean of its group.
  std::vector<std::vector<double>> figures(const Executor& executor) const {
    std::vector<std::vector<double>> all;
    for (const Group& group : groups_) all.emplace_back(group.rows.size());
    executor.for_each_piece(pieces_.size(), 1, [&](Index begin, Index end) {
      for (Index p = begin; p < end; ++p) {
        const auto [g, first] = pieces_[p];
        add(groups_[g], first, std::span(all[g]).subspan(first, std::min(rows_of_a_deal_piece, all[g].size() - first)));
      }
    });
    return all;
  }

 private:
  struct Group {
    std::vector<Index> rows;
    PerLayer<std::vector<Index>> units;  ///< of the layers that are dealt
  };

  void add(const Group& group, Index first, std::span<double> out) const {
    const Layout& layout = model_.layout();
    Chains own(layout, out.size());
    for (Index i = 0; i < out.size(); ++i) {
      const Index r = group.rows[first + i];
      own.copy_rows(layout.observed(), x_.slice(r, r + 1), i);
    }
    const double share = static_cast<double>(group.rows.size()) / static_cast<double>(x_.rows());
    std::optional<ConditionalsAtMeans> at_means;
    if (at_means_) at_means.emplace(model_, beta_, own);
    for (const LayerId l : layout.ids(layout.observed())) {
      const bool dealt = dealt_.contains(l);
      const std::vector<Index> units = dealt ? group.units[l] : units_of_layer(layout[l]);
      const Matrix<double> terms = terms_of(model_, beta_, own, l, units);
      for (Index i = 0; i < out.size(); ++i) out[i] += (dealt ? 1.0 : share) * sum_of_terms(row_of(terms, i));
      if (!dealt || !at_means) continue;
      const std::vector<double> of_rows = at_means->sums(l);
      for (Index i = 0; i < out.size(); ++i) {
        for (const Index u : units) out[i] -= at_means->of_unit(l, i, u);
        out[i] += share * of_rows[i];
      }
    }
  }

  const EnergyModel& model_;
  ConstChainView x_;
  double beta_;
  bool at_means_;
  LayerSet dealt_;
  std::vector<Group> groups_;
  std::vector<std::pair<Index, Index>> pieces_;  ///< a group, and the first of its rows
};

}  // namespace

bool offers_pseudo_likelihood(const EnergyModel& model) {
  const Layout& layout = model.layout();
  if (!model.free_energy() || !model.free_energy()->closed(layout.observed())) return false;
  return std::ranges::all_of(layout.layers(),
                             [](const Layer& l) { return l.role == Role::latent || l.unit->num_states() > 0; });
}

double pseudo_likelihood_operations(const EnergyModel& model) {
  // A unit's ratio takes an exponential and a logarithm of each latent unit, in the time of so many operations of a product.
  constexpr double operations_of_exponential = sizeof(Real) == sizeof(double) ? 20.0 : 100.0;
  return operations_of_exponential * model.free_energy()->operations(model.layout().observed());
}

std::vector<double> pseudo_log_likelihoods(const EnergyModel& model, const Chains& rows, double beta,
                                           const Executor& executor) {
  const Layout& layout = model.layout();
  const ConstChainView x = rows.real();
  std::vector<double> sums(rows.size(), 0.0);
  executor.for_each_piece(rows.size(), rows_of_a_deal_piece, [&](Index begin, Index end) {
    for (const LayerId l : layout.ids(layout.observed())) {
      const Matrix<double> terms = terms_of(model, beta, x.slice(begin, end), l, units_of_layer(layout[l]));
      for (Index r = begin; r < end; ++r) sums[r] += sum_of_terms(row_of(terms, r - begin));
    }
  });
  return sums;
}

WithError estimated_pseudo_log_likelihood(const EnergyModel& model, const Chains& rows, double beta, Index units_a_row,
                                          const Execution& execution) {
  const Index num_groups = groups_for(model.layout(), rows.size(), units_a_row);
  if (num_groups == 1) {
    const std::vector<double> figures = pseudo_log_likelihoods(model, rows, beta, execution.executor);
    return {mean_of_rows(figures, execution.executor), error_over_rows(figures)};
  }
  const DealtTerms terms(model, rows, beta, units_a_row, num_groups, execution.random);
  return sum_of_means(terms.figures(execution.executor));
}

double pseudo_log_likelihood(const EnergyModel& model, const Chains& rows, double beta, Index units_a_row,
                             const Execution& execution) {
  return estimated_pseudo_log_likelihood(model, rows, beta, units_a_row, execution).value;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
