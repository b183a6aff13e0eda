#include <harmonium/program/paired_difference.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/diagnostics/error_over_rows.hpp>
#include <harmonium/program/paired/density_words.hpp>
#include <harmonium/program/stack/paired_bound.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// The figures of both on rows that both have it of.
PairedFigure paired(std::string name, const std::vector<double>& one, const std::vector<double>& other) {
  PairedFigure figure{std::move(name)};
  std::vector<double> differences;
  for (Index r = 0; r < one.size(); ++r) {
    if (std::isnan(one[r]) || std::isnan(other[r])) continue;
    differences.push_back(one[r] - other[r]);
    figure.one += one[r];
    figure.other += other[r];
    figure.difference += differences.back();
  }
  figure.rows = differences.size();
  for (double* sum : {&figure.one, &figure.other, &figure.difference})
    *sum /= static_cast<double>(std::max<Index>(figure.rows, 1));
  figure.rows_error = error_over_rows(differences);
  return figure;
}

Index num_without(const std::vector<double>& figures) {
  return static_cast<Index>(std::ranges::count_if(figures, [](double v) { return std::isnan(v); }));
}

std::string reason_of_model(const JudgedModel& model, const char* figure) {
  for (const auto& [name, why] : model.found.reasons)
    if (name == figure) return fmt::format("{}: {}", model.rows.model, why);
  return "";
}

class Pairing {
 public:
  Pairing(const JudgedModel& one, const JudgedModel& other, const PairedLogZ& log_z)
      : one_(one), other_(other), log_z_(log_z), a_(one.rows.judged), b_(other.rows.judged) {
    result_.words = a_.words;
    result_.rows = a_.rows();
    for (const JudgedModel* model : {&one, &other})
      if (!model->found.advice.empty())
        result_.advice.push_back(fmt::format("{}: {}", model->rows.model, model->found.advice));
  }

  PairedRows all(PairedBy by) {
    if (by == PairedBy::bounds) add_bound();
    // Beside a bound its absence needs no word.
    if (by == PairedBy::likelihoods || (one_.found.log_likelihood && other_.found.log_likelihood)) add_likelihood();
    // Nor does what a bound leaves open, where the likelihood itself is there.
    if (std::ranges::any_of(result_.figures, [](const PairedFigure& f) { return f.name == "log_likelihood"; }))
      result_.bound_says.clear();
    if (!result_.figures.empty()) result_.densities_say = words_on_densities(one_.rows, other_.rows);
    add_pseudo_likelihood();
    add_classes();
    return std::move(result_);
  }

 private:
  void absent(const char* name, const std::string& why) { result_.reasons.emplace_back(name, why); }

  /// Why a figure is absent that one of the two lacks; empty where both have it.
  std::string lacking(const char* name, std::optional<double> Evaluation::*figure) const {
    if (!(one_.found.*figure)) return reason_of_model(one_, name);
    return other_.found.*figure ? "" : reason_of_model(other_, name);
  }

  /// Of the log likelihoods in the data's own units, by the intervals of both.
  std::optional<Interval> difference_of_intervals() const {
    const auto &a = one_.found.log_likelihood_interval, &b = other_.found.log_likelihood_interval;
    if (!a || !b) return {};
    const double jacobian = one_.found.log_jacobian, other_jacobian = other_.found.log_jacobian;
    return Interval{a->low + jacobian - b->high - other_jacobian, a->high + jacobian - b->low - other_jacobian};
  }

  /// What intervals that certify nothing leave of a difference of likelihoods.
  std::string measured_difference() const {
    const std::optional<Interval> i = difference_of_intervals();
    if (!i || !std::isfinite(i->low) || !std::isfinite(i->high)) return "";
    return fmt::format(" The difference of log likelihoods lies between {:.3f} and {:.3f} by that, not certified.",
                       i->low, i->high);
  }

  void add_likelihood() {
    constexpr const char* name = "log_likelihood";
    for (const auto* rows : {&one_.rows, &other_.rows})
      if (num_without(rows->judged.table.free_energy) > 0) return add_estimated_likelihood(name);
    if (!one_.found.log_z) return absent(name, reason_of_model(one_, "log_z") + measured_difference());
    if (!other_.found.log_z) return absent(name, reason_of_model(other_, "log_z") + measured_difference());
    if (const std::string why = lacking(name, &Evaluation::log_likelihood); !why.empty()) return absent(name, why);
    PairedFigure figure = paired(name, log_sums(a_), log_sums(b_));
    const auto converted = [](const std::vector<double>& all) {
      return std::ranges::any_of(all, [](double v) { return v != 0.0; });
    };
    figure.converted = converted(a_.log_jacobian) || converted(b_.log_jacobian);
    const double sums = figure.difference;
    figure.one -= *one_.found.log_z;
    figure.other -= *other_.found.log_z;
    figure.difference = sums - *log_z_.difference;
    if (log_z_.interval && !log_z_.exact())
      figure.interval = {sums - log_z_.interval->high, sums - log_z_.interval->low};
    figure.log_z_method = log_z_.how;
    add_half_widths(figure);
    result_.figures.push_back(figure);
  }

  void add_bound() {
    std::string why_not;
    const std::optional<PairedFigure> bound = paired_bound(one_, other_, log_z_, why_not);
    if (!bound) return absent("variational_bound", why_not);
    result_.bound_says = words_on_bound(*bound, one_.rows.model, other_.rows.model);
    result_.figures.push_back(*bound);
  }

  /// Of means over the rows, of which some have sums that are estimated.
  void add_estimated_likelihood(const char* name) {
    if (const std::string why = lacking(name, &Evaluation::log_likelihood); !why.empty()) return absent(name, why);
    const std::optional<Interval> interval = difference_of_intervals();
    if (!interval) return;  // which every likelihood has
    const double jacobian = one_.found.log_jacobian, other_jacobian = other_.found.log_jacobian;
    PairedFigure figure{name, *one_.found.log_likelihood + jacobian, *other_.found.log_likelihood + other_jacobian};
    figure.difference = figure.one - figure.other;
    figure.rows = a_.rows();
    figure.rows_estimated = true;
    figure.converted = jacobian != 0.0 || other_jacobian != 0.0;
    figure.interval = interval;
    add_half_widths(figure);
    result_.figures.push_back(figure);
  }

  void add_half_widths(PairedFigure& figure) const {
    figure.one_half_width = half_width(one_.found.log_likelihood, one_.found.log_likelihood_interval);
    figure.other_half_width = half_width(other_.found.log_likelihood, other_.found.log_likelihood_interval);
  }

  void add_pseudo_likelihood() {
    constexpr const char* name = "pseudo_log_likelihood";
    const std::string why = lacking(name, &Evaluation::pseudo_log_likelihood);
    if (!why.empty()) return absent(name, why);
    for (const auto* rows : {&one_.rows, &other_.rows})
      if (const Index without = num_without(rows->judged.table.pseudo_log_likelihood); without > 0)
        return absent(name, fmt::format("{}: it is not known of {} of the rows.", rows->model, without));
    result_.figures.push_back(paired(name, a_.table.pseudo_log_likelihood, b_.table.pseudo_log_likelihood));
  }

  /// A difference of accuracies is a mean of −1, 0 and 1, so that its error follows from the rows of which the two differ alone.
  void add_classes() {
    for (const auto& [name, figure] :
         {std::pair{"accuracy", &Evaluation::accuracy}, {"label_log_likelihood", &Evaluation::label_log_likelihood}})
      if (const std::string why = lacking(name, figure); !why.empty()) absent(name, why);
    if (!one_.found.accuracy || !other_.found.accuracy) return;
    const PairedFigure accuracy = paired("accuracy", a_.table.accuracy, b_.table.accuracy);
    if (accuracy.rows == 0) return absent("accuracy", "there is no row whose class both tell.");
    result_.figures.push_back(accuracy);
    result_.figures.push_back(
        paired("label_log_likelihood", a_.table.label_log_likelihood, b_.table.label_log_likelihood));
    std::pair<Index, Index> alone{0, 0};
    for (Index r = 0; r < a_.rows(); ++r) {
      if (a_.table.accuracy[r] > b_.table.accuracy[r]) ++alone.first;
      if (a_.table.accuracy[r] < b_.table.accuracy[r]) ++alone.second;
    }
    result_.right_alone = alone;
  }

  const JudgedModel &one_, &other_;
  const PairedLogZ& log_z_;
  const JudgedRows &a_, &b_;
  PairedRows result_ = {};
};

}  // namespace

PairedRows paired_difference(const JudgedModel& one, const JudgedModel& other, const PairedLogZ& log_z, PairedBy by) {
  return Pairing(one, other, log_z).all(by);
}

}  // namespace v1
}  // namespace harmonium
