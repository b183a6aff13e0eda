#include <harmonium/program/stack/paired_bound.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/diagnostics/error_over_rows.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// The bound of a model, or its log likelihood, in the data's own units.
std::optional<double> figure_of(const Evaluation& e) {
  const std::optional<double>& own = e.variational_bound ? e.variational_bound : e.log_likelihood;
  return own ? std::optional(*own + e.log_jacobian) : std::nullopt;
}

std::string reason_of(const JudgedModel& model) {
  for (const char* figure : {"log_z", "free_energy", "log_likelihood"})
    for (const auto& [name, why] : model.found.reasons)
      if (name == figure) return fmt::format("{}: {}", model.rows.model, why);
  return model.rows.model + ": it has no likelihood.";
}

std::optional<double> error_of_difference(const JudgedModel& one, const JudgedModel& other) {
  std::vector<double> a = log_sums_or_bounds(one);
  const std::vector<double> b = log_sums_or_bounds(other);
  if (a.empty() || a.size() != b.size()) return {};
  for (Index r = 0; r < a.size(); ++r) a[r] -= b[r];
  return error_over_rows(a);
}

/// What log Z of both and the draws of bounds leave open, which are independent of each other; nothing where that is nothing.
std::optional<Interval> interval_of(double difference, const Evaluation& one, const Evaluation& other,
                                    const PairedLogZ& log_z) {
  constexpr double rounding = 1e-9;  // of draws that all say the same
  double noise = 1.96 * std::hypot(one.bound_error, other.bound_error);
  if (noise < rounding * (1.0 + std::abs(difference))) noise = 0.0;
  double below = 0.0, above = 0.0;
  if (log_z.interval && log_z.difference) {
    below = log_z.interval->high - *log_z.difference;
    above = *log_z.difference - log_z.interval->low;
  }
  const Interval all{difference - std::hypot(below, noise), difference + std::hypot(above, noise)};
  return all.low < all.high ? std::optional(all) : std::nullopt;
}

/// Adds the log Jacobian of each row to what was found in the model's units.
std::vector<double> in_units_of_rows(std::vector<double> sums, const JudgedRows& rows) {
  const std::vector<double>& jacobian = rows.log_jacobian;
  for (Index r = 0; r < sums.size(); ++r) sums[r] += jacobian.size() == 1 ? jacobian[0] : jacobian[r];
  return sums;
}

}  // namespace

std::vector<double> log_sums(const JudgedRows& rows) {
  std::vector<double> sums = rows.table.free_energy;
  for (double& sum : sums) sum = -sum;
  return in_units_of_rows(std::move(sums), rows);
}

std::vector<double> log_sums_or_bounds(const JudgedModel& model) {
  const JudgedRows& rows = model.rows.judged;
  const std::vector<double> sums =
      model.found.variational_bound ? in_units_of_rows(rows.table.bound, rows) : log_sums(rows);
  const bool all = std::ranges::none_of(sums, [](double v) { return std::isnan(v); });
  return all ? sums : std::vector<double>();
}

std::optional<PairedFigure> paired_bound(const JudgedModel& one, const JudgedModel& other, const PairedLogZ& log_z,
                                         std::string& why_not) {
  const Evaluation &a = one.found, &b = other.found;
  const std::optional<double> own = figure_of(a), others = figure_of(b);
  if (!own || !others) {
    why_not = reason_of(own ? other : one);
    return {};
  }
  if (!a.variational_bound && !b.variational_bound) {
    why_not = "the latent units of both models can be summed out, and no bound is needed. Leave --bound out.";
    return {};
  }
  PairedFigure figure{"variational_bound", *own, *others};
  // Near models know the difference of log Z much better than each of them.
  const double closer = log_z.difference && a.log_z && b.log_z ? *a.log_z - *b.log_z - *log_z.difference : 0.0;
  figure.difference = *own - *others + closer;
  figure.rows = one.rows.judged.rows();
  figure.rows_error = error_of_difference(one, other);
  figure.interval = interval_of(figure.difference, a, b, log_z);
  figure.log_z_method = log_z.how;
  figure.converted = a.log_jacobian != 0.0 || b.log_jacobian != 0.0;
  figure.one_bounded = a.variational_bound.has_value();
  figure.other_bounded = b.variational_bound.has_value();
  return figure;
}

std::string words_on_bound(const PairedFigure& bound, const std::string& one, const std::string& other) {
  if (bound.one_bounded && bound.other_bounded)
    return "Both are lower bounds, of which each may be short by another amount: their difference bounds nothing.";
  const std::string &bounded = bound.one_bounded ? one : other, &known = bound.one_bounded ? other : one;
  const Interval i = bound.interval.value_or(Interval{bound.difference, bound.difference});
  const double least = bound.one_bounded ? i.low : -i.high, most = bound.one_bounded ? i.high : -i.low;
  if (least > 0.0)
    return fmt::format("On these rows the log likelihood of {} is above that of {}, by {:.4f} nats a row or more{}.",
                       bounded, known, least, least < most ? " (95 %)" : "");
  return fmt::format(
      "The bound of {} is {} the log likelihood of {}: which of the two has the greater likelihood it does not "
      "tell.",
      bounded, most < 0.0 ? "below" : "within the errors of", known);
}

}  // namespace v1
}  // namespace harmonium
