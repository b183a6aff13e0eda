#include <harmonium/framework/inference/classification.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

bool offers_classification(const EnergyModel& model, std::string_view label_layer) {
  return offers_free_energy(model) && std::ranges::any_of(model.layout().layers(), [&](const Layer& l) {
           return l.name == label_layer && l.role == Role::observed && l.size == 1 && l.unit->num_states() > 1;
         });
}

namespace {

/// −β F of what is seen of each row with every class in turn, rows × classes.
Matrix<double> class_scores(const EnergyModel& model, std::string_view label_layer, const Chains& rows,
                            const HeldMask& seen, double beta, const Executor& executor) {
  if (!offers_classification(model, label_layer))
    throw CapabilityError("the model has no layer '" + std::string(label_layer) + "' of one unit, or no free energy.");
  const LayerId label = model.layout().find(label_layer);
  const UnitStates states(*model.layout()[label].unit);
  Matrix<double> scores = zeros<double>(rows.size(), states.size());
  Chains asked = rows;
  HeldMask with_class = seen;
  with_class.hold(label);
  for (Index k = 0; k < states.size(); ++k) {
    copy_to_rows(states[k], asked.write(label));
    const std::vector<double> energies = free_energies_of_seen(model, asked, with_class, beta, executor);
    xt::col(scores, k) = -as_xtensor(std::span(energies));
  }
  return scores;
}

}  // namespace

Matrix<double> class_probabilities(const EnergyModel& model, std::string_view label_layer, const Chains& rows,
                                   const HeldMask& seen, double beta, const Executor& executor) {
  Matrix<double> scores = class_scores(model, label_layer, rows, seen, beta, executor);
  for (Index r = 0; r < rows.size(); ++r) {
    const std::span<double> of_row = row_of(scores, r);
    const double all = logsumexp(of_row);
    std::ranges::transform(of_row, of_row.begin(), [&](double s) { return std::exp(s - all); });
  }
  return scores;
}

void Classification::add(const Classification& other) {
  if (other.rows == 0) return;
  const double share = static_cast<double>(other.rows) / static_cast<double>(rows + other.rows);
  const double apart = other.log_likelihood - log_likelihood;
  deviations += other.deviations + apart * apart * share * static_cast<double>(rows);
  accuracy += share * (other.accuracy - accuracy);
  log_likelihood += share * apart;
  rows += other.rows;
}

double Classification::accuracy_error() const {
  return std::sqrt(accuracy * (1.0 - accuracy) / static_cast<double>(rows));
}

double Classification::log_likelihood_error() const {
  const auto n = static_cast<double>(rows);
  return std::sqrt(deviations / (n * (n - 1.0)));
}

Classification ToldClasses::summary() const {
  Classification result;
  for (Index r = 0; r < right.size(); ++r) {
    if (std::isnan(right[r])) continue;
    result.accuracy += right[r];
    result.log_likelihood += log_likelihood[r];
    ++result.rows;
  }
  if (result.rows == 0) return result;
  const auto n = static_cast<double>(result.rows);
  result.accuracy /= n;
  result.log_likelihood /= n;
  for (Index r = 0; r < right.size(); ++r)
    if (!std::isnan(right[r])) result.deviations += std::pow(log_likelihood[r] - result.log_likelihood, 2);
  return result;
}

ToldClasses tell_classes(const EnergyModel& model, std::string_view label_layer, const Chains& rows,
                         const HeldMask& seen, double beta, const Executor& executor) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const Matrix<double> scores = class_scores(model, label_layer, rows, seen, beta, executor);
  const LayerId label = model.layout().find(label_layer);
  const UnitStates states(*model.layout()[label].unit);
  const MatrixView<const std::uint8_t> known = seen.units(label, 0, rows.size());
  const std::vector<double> none(rows.size(), unknown);
  ToldClasses told{std::vector<Index>(rows.size()), none, none, none};
  const ConstMatrixRef truth = rows.read(label);
  for (Index r = 0; r < rows.size(); ++r) {
    const std::span<const double> of_row = row_of(scores, r);
    const double all = logsumexp(of_row);
    const auto best = static_cast<Index>(std::ranges::max_element(of_row) - of_row.begin());
    told.predicted[r] = best;
    told.probability[r] = std::exp(of_row[best] - all);
    if (!seen.holds(label) && (known.empty() || known(r, 0) == 0)) continue;
    Index own = 0;
    while (own + 1 < states.size() && !std::ranges::equal(truth[r], states[own])) ++own;
    told.right[r] = best == own ? 1.0 : 0.0;
    told.log_likelihood[r] = of_row[own] - all;
  }
  return told;
}

Classification classify(const EnergyModel& model, std::string_view label_layer, const Chains& rows,
                        const HeldMask& seen, double beta, const Executor& executor) {
  return tell_classes(model, label_layer, rows, seen, beta, executor).summary();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
